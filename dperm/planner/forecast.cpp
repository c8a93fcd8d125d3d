// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "dperm/methods/sgd/linear_pace.hpp"
#include "dperm/planner/error_model.hpp"
#include "dperm/planner/score_distribution.hpp"
#include "dperm/planner/signal_law.hpp"

namespace dperm::planner {

namespace {

// Between these factors of what the error models say lay what was measured, on the tables that chose the constants:
// excess risk, points of accuracy, moves of scores.
constexpr double kRiskBelow = 3.5, kRiskAbove = 2;
constexpr double kShareBelow = 4, kShareAbove = 3.7;
constexpr double kMoveBelow = 3.2, kMoveAbove = 1.8;
// Of what is proven for rules: most of them are far worse than the best, and then the mechanism hardly ever takes them.
constexpr double kRuleExpected = 0.1, kRuleMost = 1.0 / 3;
// Log loss added where answers are lost, roughly, as with linear models.
constexpr double kRiskPerShare = 2;

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

Forecast no_more_than_proven(Forecast prediction, const methods::Plan& plan) {
  for (double* each : {&prediction.excess_risk, &prediction.lower, &prediction.upper}) {
    *each = std::min(*each, plan.utility.excess_risk);
  }
  return prediction;
}

Range around(double value, double below, double above) { return {value, value / below, value * above}; }

bool is_classification(const methods::Plan& plan) { return loss::is_classification(plan.task.problem.loss.kind); }

// sgd with the settings that follow from public facts, on the whole of what they were measured for.
bool is_paced(const methods::Plan& plan) {
  const auto* options = std::get_if<methods::SgdOptions>(&plan.options);
  return options && !options->batch && !options->epochs && !options->steps && !options->clip && !options->optimiser &&
         !options->learning_rate && !options->average_fraction && plan.task.problem.l2_penalty == 0 &&
         plan.task.problem.feasible_set.kind == loss::SetKind::unconstrained;
}

double signal_of(const methods::Plan& plan) {
  return methods::table_signal(plan.task, std::get<methods::SgdOptions>(plan.options).neighbours);
}

// For a real target: by how much scores move.
Forecast of_moves(const methods::Plan& plan, const Range& moved) {
  const ScoreDistribution distribution(plan.task.problem.loss);
  return {distribution.excess_risk(moved.expected),
          distribution.excess_risk(moved.lower),
          distribution.excess_risk(moved.upper),
          std::nullopt,
          moved.expected,
          told(moved, least_told_move(plan.task.facts.rows))};
}

Forecast by_signal(const methods::Plan& plan, bool curved) {
  const double signal = signal_of(plan);
  const methods::PublicFacts& facts = plan.task.facts;
  if (is_classification(plan)) {
    const Range risk = log_loss_added(signal, curved);
    const Range lost = told(share_lost(signal), least_told_share(facts.rows));
    return {risk.expected, risk.lower, risk.upper, lost.expected, 0, lost};
  }
  return of_moves(plan, scores_moved(signal, static_cast<double>(facts.columns)));
}

std::optional<Forecast> by_error_model(const methods::Plan& plan, const Population& population) {
  const methods::Problem& problem = plan.task.problem;
  const ScoreDistribution distribution(problem.loss, plan.error_model->clip / typical_norm(population));
  const double curved = mean_square_error(*plan.error_model, directions(distribution, population));
  const double noise = std::sqrt(curved / distribution.curvature());
  if (!std::isfinite(noise)) return std::nullopt;
  const Range risk = around(distribution.excess_risk(noise), kRiskBelow, kRiskAbove);
  const double moved = std::hypot(noise, distribution.shift());
  Forecast prediction{risk.expected, risk.lower, risk.upper};
  const std::size_t rows = plan.task.facts.rows;
  if (is_classification(plan)) {
    const Range lost = around(distribution.accuracy_lost(noise), kShareBelow, kShareAbove);
    prediction.told = told(lost, least_told_share(rows));
    prediction.accuracy_lost = prediction.told.expected;
  } else {
    prediction.score_noise = moved;
    prediction.told = told(around(moved, kMoveBelow, kMoveAbove), least_told_move(rows));
  }
  return prediction;
}

Forecast of_rule(const methods::Plan& plan) {
  const double most = plan.utility.excess_risk;
  const Range lost = told({kRuleExpected * most, 0, kRuleMost * most}, least_told_share(plan.task.facts.rows));
  return {kRuleExpected * most, 0, kRuleMost * most, lost.expected, 0, lost};
}

// A network, or a score per class.
std::optional<Forecast> of_layers(const methods::Plan& plan) {
  if (!is_paced(plan)) return std::nullopt;
  const bool answers = is_classification(plan) || plan.task.problem.loss.kind == loss::LossKind::softmax;
  if (!answers) return of_moves(plan, layers_moved(signal_of(plan)));
  const auto neighbours = std::get<methods::SgdOptions>(plan.options).neighbours;
  const Range share = layers_share_lost(methods::class_signal(plan.task, neighbours));
  const Range lost = told(share, least_told_share(plan.task.facts.rows));
  return Forecast{
      kRiskPerShare * share.expected, kRiskPerShare * share.lower, kRiskPerShare * share.upper, lost.expected, 0, lost};
}

}  // namespace

std::optional<Forecast> forecast(const methods::Plan& plan, const Population& population) {
  const methods::ModelForm form = methods::model_form(plan.task.problem);
  if (form == methods::ModelForm::rule) return of_rule(plan);
  if (form != methods::ModelForm::linear) return of_layers(plan);
  if (plan.task.facts.dimension == 1) return std::nullopt;
  if (is_paced(plan)) return by_signal(plan, population.curved);
  if (!plan.error_model) return std::nullopt;
  const auto prediction = by_error_model(plan, population);
  return prediction ? std::optional(no_more_than_proven(*prediction, plan)) : std::nullopt;
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
    case methods::ModelForm::network:
    case methods::ModelForm::multiclass:
      return std::holds_alternative<methods::SgdOptions>(plan.options)
                 ? "it was measured with its own settings, a penalty and a set left out"
                 : "for several classes only sgd was measured";
    case methods::ModelForm::rule:
    case methods::ModelForm::linear:
      break;
  }
  if (plan.error_model) return "its steps are too long for a typical table";
  if (plan.task.facts.dimension == 1) return "how many targets lie near the answer is not public";
  if (std::holds_alternative<methods::ConstantOptions>(plan.options)) {
    return "what the columns that it leaves out are worth is not public";
  }
  return "there is no error model of it";
}

}  // namespace dperm::planner
