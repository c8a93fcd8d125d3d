// SPDX-License-Identifier: Apache-2.0
// The regularised exponential mechanism: weights drawn from the density exp(-k (risk + (m/2) ||w||^2)) by the proximal
// sampler, with Gaussian-DP accounting and the sampler's distance charged to delta. Proof note:
// exponential_regularised.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

// Which of the two shapes for linear models draws: both know the option, the dispatcher (exponential.cpp) reads it.
inline const OptionSpec kRegularisedOption{
    "regularised",
    "auto",
    "yes: draw from the penalised density by the proximal sampler (needs delta > 0); no: exact, up to 4 "
    "weights; auto: no where it can",
    0,
    0,
    {"auto", "yes", "no"}};

class ExponentialRegularised final : public Method {
 public:
  std::string_view name() const override { return "exponential"; }
  std::string_view summary() const override { return "linear models with a smooth loss, drawn from a density"; }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
