// SPDX-License-Identifier: Apache-2.0
// Noisy projected gradient descent on the full data: T noisy gradients, exact Gaussian-DP composition, iterate
// averaging. Proof note: gradient_descent.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

class GradientDescent final : public Method {
 public:
  std::string_view name() const override { return "gradient-descent"; }
  std::string_view summary() const override {
    return "noisy projected gradient descent on all rows, iterates averaged";
  }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
