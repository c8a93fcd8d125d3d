// SPDX-License-Identifier: Apache-2.0
// Objective perturbation: minimise the penalised risk plus a random linear term to a certified residual, then release
// the point with a little noise of its own that hides the residual. Proof note: objective_perturbation.md.
#include <fmt/core.h>

#include <cmath>

#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/objective_perturbation/objective_derivation.hpp"
#include "dperm/methods/objective_perturbation/objective_release.hpp"
#include "dperm/methods/option_tables.hpp"

namespace dperm::methods {

Plan plan_for(const Task& task, const ObjectivePerturbationOptions& options) {
  check_options(options);
  const ObjectiveSettings s = objective_settings(task, term_noise(options.noise, task.budget), options.calibration);
  Plan plan =
      make_plan(options, s.task, objective_events(s), objective_derivation(s),
                {s.excess_risk,
                 fmt::format("excess risk against weights of norm {:.3g} [objective_perturbation.md]", s.comparator)},
                [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
                  const ObjectiveTerm term = draw_term(s, curator);
                  return {release_minimiser(s, dataset.sums(), term, curator, fit_options.threads)};
                });
  const double rows = static_cast<double>(task.facts.rows), weights = static_cast<double>(weight_count(s.task));
  plan.error_model = ErrorModel{.penalty = s.task.problem.l2_penalty,
                                .term_noise = std::sqrt(s.noise_square / weights) / rows,
                                .output_noise = std::sqrt(s.output_square / weights)};
  return plan;
}

}  // namespace dperm::methods
