// SPDX-License-Identifier: Apache-2.0
// Another method with its settings chosen from a public grid by a private score on held-out rows, the whole of it
// within one budget: the best of a random number of runs. Proof note: tuned.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

// A plan, and what the fit of each candidate would be on its own: on fewer rows, with a part of the budget.
struct TunedPlan {
  struct Run {
    std::string candidate;
    Plan plan;
  };
  Plan plan;
  std::vector<Run> runs;
};

// Options beside those in the table: "method", the name of the method, and "grid", as candidates.hpp reads it. Not in
// all_methods(): it is nobody's automatic choice.
class Tuned final : public Method {
 public:
  std::string_view name() const override { return "tuned"; }
  std::string_view summary() const override { return "the best of a random number of private fits on a grid"; }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  TunedPlan plan_with_runs(const Task& task, const std::map<std::string, std::string>& options) const;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
