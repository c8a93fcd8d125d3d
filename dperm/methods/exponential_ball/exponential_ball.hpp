// SPDX-License-Identifier: Apache-2.0
// The exponential mechanism over the weights of a linear model in a ball or box, exact in distribution and pure
// epsilon, for few weights. Proof note: exponential_ball.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

// Boxes of weights are halved until the risk is nearly constant on each; their number grows with the power of the
// dimension.
inline constexpr std::size_t kMostExactWeights = 4;

class ExponentialBall final : public Method {
 public:
  std::string_view name() const override { return "exponential"; }
  std::string_view summary() const override { return "linear models with up to 4 weights; pure epsilon"; }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
