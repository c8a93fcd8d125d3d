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

double likely_deviation(double rows, double lipschitz, double radius, double range, double failure_probability) {
  require_nonnegative_finite("range", range);
  require_in_open_range("failure_probability", failure_probability, 0, 1);
  return expected_deviation(rows, lipschitz, radius) +
         range * std::sqrt(std::log(1 / failure_probability) / (2 * rows));
}

std::optional<double> population_excess_risk(const methods::Plan& plan) {
  const methods::Problem& problem = plan.task.problem;
  const methods::PublicFacts& facts = plan.task.facts;
  const bool on_average = plan.utility.holds == methods::UtilityBound{}.holds;
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
