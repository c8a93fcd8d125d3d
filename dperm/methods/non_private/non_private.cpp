// SPDX-License-Identifier: Apache-2.0
// Models without privacy. What attacks attack, and what a private model's cost is measured against. Note:
// non_private.md.
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/non_private/optimum.hpp"
#include "dperm/methods/non_private/plain_training.hpp"
#include "dperm/methods/option_tables.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "weights without noise";
// Keeps the minimiser unique and finite, also where the rows can be told apart without error.
constexpr double kLeastPenalty = 1e-6;

bool is_network(const Task& task) { return model_form(task.problem) == ModelForm::network; }

Task resolved_for(const Task& asked) {
  validate_problem(asked);
  require(!asks_for_privacy(asked.budget), "non-private has no epsilon and no delta: leave them out");
  Task task = asked;
  if (is_network(task)) return task;
  require_convex_and_smooth(task.problem, "non-private");
  if (task.problem.l2_penalty == 0) task.problem.l2_penalty = kLeastPenalty;
  return task;
}

std::vector<DerivationStep> derivation(const Task& task) {
  return {{"rows n", static_cast<double>(task.facts.rows), "all of them, as they are"},
          {"weights", static_cast<double>(weight_count(task)), "of the model"},
          {"l2_penalty", task.problem.l2_penalty, "given, or just large enough for one minimum"},
          {"noise", 0, "none: nobody is protected"}};
}

UtilityBound utility_of(const Task& task) {
  if (is_network(task)) return {.theorem = "nothing is proved about the minima of networks"};
  return {0, "the minimiser itself, to the resolution of the engine's sums"};
}

// Progress would tell about records of a private fit; here there is nothing to hide.
std::vector<double> trained(const engine::RowSums& sums, const Task& task, const NonPrivateOptions& options,
                            const FitOptions& fit_options) {
  if (is_network(task)) return train_plainly(sums, plain_training(task, options), fit_options);
  return exact_optimum(sums, task, fit_options.threads).weights;
}

}  // namespace

// [proof methods_non_private.plan]
Plan plan_for(const Task& task, const NonPrivateOptions& options) {
  check_options(options);
  const Task resolved = resolved_for(task);
  if (is_network(resolved)) plain_training(resolved, options);
  return make_plan(
      options, resolved, {{kWhat, privacy::UnprotectedEvent{}}}, derivation(resolved), utility_of(resolved),
      [resolved, options](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) {
        const auto weights = dataset.sums().map(
            [&](const engine::RowSums& sums) { return trained(sums, resolved, options, fit_options); });
        return Trained{curator.release_unprotected(weights, kWhat)};
      });
}
// [/proof]

}  // namespace dperm::methods
