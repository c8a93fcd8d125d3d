// SPDX-License-Identifier: Apache-2.0
// Output perturbation: minimise the strongly convex objective to a certified residual, add noise to the minimiser.
// Proof note: output_perturbation.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

class OutputPerturbation final : public Method {
 public:
  std::string_view name() const override { return "output-perturbation"; }
  std::string_view summary() const override { return "minimiser of the penalised risk plus noise; pure epsilon too"; }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Question& question, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
