// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/generalisation.hpp"

#include <cmath>

#include "dperm/core/check.hpp"

namespace dperm::planner {

double expected_deviation(double rows, double lipschitz, double radius) {
  require_positive_finite("rows", rows);
  require_nonnegative_finite("lipschitz", lipschitz);
  require_nonnegative_finite("radius", radius);
  return 2 * lipschitz * radius / std::sqrt(rows);
}

std::optional<double> population_excess_risk(const methods::Plan& plan) {
  const methods::Problem& problem = plan.task.problem;
  const methods::PublicFacts& facts = plan.task.facts;
  const bool on_average = !plan.utility.probability;
  const bool bounded = problem.feasible_set.kind != loss::SetKind::unconstrained;
  if (methods::model_form(problem) != methods::ModelForm::linear || !on_average || !bounded ||
      std::isinf(plan.utility.excess_risk)) {
    return std::nullopt;
  }
  const double radius = loss::norm_bound(problem.feasible_set, facts.dimension);
  const double lipschitz = loss::constants(problem.loss, radius).lipschitz;
  return plan.utility.excess_risk + expected_deviation(static_cast<double>(facts.rows), lipschitz, radius);
}

}  // namespace dperm::planner
