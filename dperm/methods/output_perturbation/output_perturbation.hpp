// SPDX-License-Identifier: Apache-2.0
// Output perturbation: noise is added once, to the minimiser of the strongly convex objective (to a certified residual)
// or to the point that a fixed number of descent steps reaches. Proof note: output_perturbation.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

class OutputPerturbation final : public Method {
 public:
  std::string_view name() const override { return "output-perturbation"; }
  std::string_view summary() const override {
    return "minimiser, or point of a fixed number of steps, plus noise; pure epsilon too";
  }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
