// SPDX-License-Identifier: Apache-2.0
// The exponential mechanism in its several shapes under one name. Which one answers a task is decided by public
// facts alone; each shape has its own file and proof note.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

class Exponential final : public Method {
 public:
  std::string_view name() const override { return "exponential"; }
  std::string_view summary() const override {
    return "mean, median or quantile without feature columns, the best rule of a finite class, or a linear model; "
           "exact "
           "and pure epsilon up to 4 weights";
  }
  std::span<const OptionSpec> options() const override;  // of all shapes; a shape refuses those of the others
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
