// SPDX-License-Identifier: Apache-2.0
// Private agnostic learning: one rule of a finite class under zero-one loss, chosen exactly by its training errors.
// Proof note: finite_choice.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

class ExponentialRules final : public Method {
 public:
  std::string_view name() const override { return "exponential"; }
  std::string_view summary() const override { return "a rule of a finite class under zero-one loss; pure epsilon"; }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  // The one weight is the number of the chosen rule.
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
