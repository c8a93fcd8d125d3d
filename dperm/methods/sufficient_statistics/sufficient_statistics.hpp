// SPDX-License-Identifier: Apache-2.0
// Linear regression from noisy second moments with an adaptive ridge. Proof note: sufficient_statistics.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

class SufficientStatistics final : public Method {
 public:
  std::string_view name() const override { return "sufficient-statistics"; }
  std::string_view summary() const override { return "linear regression from noisy second moments, adaptive ridge"; }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
