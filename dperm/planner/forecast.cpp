// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "dperm/planner/error_model.hpp"
#include "dperm/planner/score_distribution.hpp"

namespace dperm::planner {

namespace {

// The best weights: along the mean row they make the mean score; the rest of the scores' spread is divided evenly.
std::vector<Direction> directions(const ScoreDistribution& distribution, const Population& population) {
  const std::vector<double>& moments = population.second_moments;
  const double rest = std::accumulate(moments.begin() + 1, moments.end(), 0.0);
  std::vector<Direction> result;
  for (const double moment : moments) {
    const bool first = result.empty();
    const double weight = first ? distribution.mean() * distribution.mean() / moment
                                : distribution.spread() * distribution.spread() / rest;
    result.push_back({moment * distribution.curvature(), weight, moment * distribution.slope_square()});
  }
  return result;
}

// Root mean square norm of encoded rows. They differ little: every column has one feature that is not 0.
double typical_norm(const Population& population) {
  return std::sqrt(std::accumulate(population.second_moments.begin(), population.second_moments.end(), 0.0));
}

}  // namespace

std::optional<Forecast> forecast(const methods::Plan& plan, const Population& population) {
  const methods::Problem& problem = plan.task.problem;
  if (!plan.error_model || methods::model_form(problem) != methods::ModelForm::linear) return std::nullopt;
  const ScoreDistribution distribution(problem.loss, plan.error_model->clip / typical_norm(population));
  const double curved = mean_square_error(*plan.error_model, directions(distribution, population));
  const double noise = std::sqrt(curved / distribution.curvature());
  if (!std::isfinite(noise)) return std::nullopt;
  const double excess_risk = std::min(distribution.excess_risk(noise), plan.utility.excess_risk);
  Forecast prediction{excess_risk, std::hypot(noise, distribution.shift()), excess_risk};
  if (loss::is_classification(problem.loss.kind)) {
    prediction.accuracy_lost = distribution.accuracy_lost(noise);
    if (distribution.shift() > 0) {
      const ScoreDistribution plain(problem.loss);
      prediction.ranked_by = plain.excess_risk(noise * plain.spread() / distribution.spread());
    }
  }
  return prediction;
}

std::optional<double> proven_mean_error(const methods::Plan& plan) {
  const methods::Task& task = plan.task;
  const bool mean = task.facts.dimension == 1 && task.problem.loss.kind == loss::LossKind::squared &&
                    task.problem.l2_penalty == 0 && std::isfinite(plan.utility.excess_risk);
  // The excess risk of a released mean is the mean square of its noise.
  return mean ? std::optional(std::sqrt(plan.utility.excess_risk)) : std::nullopt;
}

std::string why_no_forecast(const methods::Plan& plan) {
  switch (methods::model_form(plan.task.problem)) {
    case methods::ModelForm::rule:
      return "how many rules are nearly as good as the best one is not public";
    case methods::ModelForm::network:
      return "how well a network can do on a table is not public";
    case methods::ModelForm::multiclass:
      return "there is no reference table for several classes";
    case methods::ModelForm::linear:
      break;
  }
  if (plan.error_model) return "its steps are too long for a typical table";
  if (plan.task.facts.dimension == 1) return "how many targets lie near the answer is not public";
  return "there is no error model of it";
}

}  // namespace dperm::planner
