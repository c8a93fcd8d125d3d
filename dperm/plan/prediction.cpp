// SPDX-License-Identifier: Apache-2.0
#include "dperm/plan/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "dperm/plan/course_error.hpp"
#include "dperm/plan/score_law.hpp"

namespace dperm::plan {

namespace {

// The best weights: along the mean row they make the mean score; the rest of the scores' spread is divided evenly.
std::vector<Direction> directions(const ScoreLaw& law, const Population& population) {
  const std::vector<double>& moments = population.second_moments;
  const double rest = std::accumulate(moments.begin() + 1, moments.end(), 0.0);
  std::vector<Direction> result;
  for (const double moment : moments) {
    const bool first = result.empty();
    const double weight = first ? law.mean() * law.mean() / moment : law.spread() * law.spread() / rest;
    result.push_back({moment * law.curvature(), weight});
  }
  return result;
}

}  // namespace

std::optional<Prediction> predict(const methods::Plan& plan, const Population& population) {
  const methods::Problem& problem = plan.question.problem;
  if (!plan.course || methods::model_form(problem) != methods::ModelForm::linear) return std::nullopt;
  const ScoreLaw law(problem.loss);
  const std::vector<Direction> all = directions(law, population);
  const double curved = mean_square_error(*plan.course, all);
  const double noise = std::sqrt(curved / law.curvature());
  if (!std::isfinite(noise)) return std::nullopt;
  Prediction prediction{std::min(law.excess_risk(noise), plan.utility.excess_risk), noise};
  if (loss::is_classification(problem.loss.kind)) prediction.accuracy_lost = law.accuracy_lost(noise);
  return prediction;
}

}  // namespace dperm::plan
