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
    result.push_back({moment * law.curvature(), weight, moment * law.slope_square()});
  }
  return result;
}

// Root mean square norm of encoded rows. They differ little: every column has one feature that is not 0.
double typical_norm(const Population& population) {
  return std::sqrt(std::accumulate(population.second_moments.begin(), population.second_moments.end(), 0.0));
}

}  // namespace

std::optional<Prediction> predict(const methods::Plan& plan, const Population& population) {
  const methods::Problem& problem = plan.question.problem;
  if (!plan.course || methods::model_form(problem) != methods::ModelForm::linear) return std::nullopt;
  const ScoreLaw law(problem.loss, plan.course->clip / typical_norm(population));
  const double curved = mean_square_error(*plan.course, directions(law, population));
  const double noise = std::sqrt(curved / law.curvature());
  if (!std::isfinite(noise)) return std::nullopt;
  const double excess_risk = std::min(law.excess_risk(noise), plan.utility.excess_risk);
  Prediction prediction{excess_risk, std::hypot(noise, law.shift()), excess_risk};
  if (loss::is_classification(problem.loss.kind)) {
    prediction.accuracy_lost = law.accuracy_lost(noise);
    if (law.shift() > 0) {
      const ScoreLaw plain(problem.loss);
      prediction.ranked_by = plain.excess_risk(noise * plain.spread() / law.spread());
    }
  }
  return prediction;
}

std::string why_not_predicted(const methods::Plan& plan) {
  switch (methods::model_form(plan.question.problem)) {
    case methods::ModelForm::rule:
      return "how many rules are nearly as good as the best one is not public";
    case methods::ModelForm::network:
      return "how well a network can do on a table is not public";
    case methods::ModelForm::multiclass:
      return "there is no reference table for several classes";
    case methods::ModelForm::linear:
      break;
  }
  if (plan.course) return "its steps are too long for a typical table";
  if (plan.question.facts.dimension == 1) return "how many targets lie near the answer is not public";
  return "there is no model of its course";
}

}  // namespace dperm::plan
