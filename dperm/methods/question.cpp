// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/question.hpp"

#include <fmt/core.h>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/privacy/calibration.hpp"

namespace dperm::methods {

void validate(const Question& question) {
  loss::validate(question.problem.loss);
  loss::validate(question.problem.feasible_set);
  require_nonnegative_finite("l2_penalty", question.problem.l2_penalty);
  require(question.facts.rows >= 1, "the data needs at least one row");
  require(question.facts.dimension >= 1 && question.facts.columns >= 1, "the schema needs at least the intercept");
  privacy::require_meaningful_epsilon(question.budget.epsilon);
  if (!(question.budget.delta >= 0 && question.budget.delta < 1)) {
    throw ArgumentError(
        fmt::format("delta must be at least 0 and below 1 (well below 1/rows); got {}", question.budget.delta));
  }
}

}  // namespace dperm::methods
