// SPDX-License-Identifier: Apache-2.0
// Mean, median and quantiles: tasks without feature columns. Quantiles by an exact choice among all points of a
// public grid, means by noise on the exact sum. Proof note: exponential_location.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

class ExponentialLocation final : public Method {
 public:
  std::string_view name() const override { return "exponential"; }
  std::string_view summary() const override { return "mean, median or quantile without feature columns; pure epsilon"; }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
