// SPDX-License-Identifier: Apache-2.0
// Objective perturbation: minimise the penalised risk plus a random linear term to a certified residual, then release
// the point with a little noise of its own that hides the residual. Proof note: objective_perturbation.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

class ObjectivePerturbation final : public Method {
 public:
  std::string_view name() const override { return "objective-perturbation"; }
  std::string_view summary() const override { return "minimiser of the risk plus a random linear term; smooth losses"; }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
