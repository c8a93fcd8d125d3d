// SPDX-License-Identifier: Apache-2.0
// The accuracy to expect of a plan, from public facts: realistic, not guaranteed. Model and its measured error:
// docs/forecast.md.
#pragma once

#include <optional>
#include <string>

#include "dperm/methods/method.hpp"
#include "dperm/planner/population.hpp"

namespace dperm::planner {

struct Forecast {
  double excess_risk;  // of the mean training loss above that of the best weights without privacy; never above a bound
  double score_noise;  // root mean square distance of scores from those of the best weights, encoded units
  // What methods are compared by: the excess risk, for classification without what a stretch of all scores adds to it,
  // which turns no answer.
  double ranked_by;
  std::optional<double> accuracy_lost = {};  // share of right answers, for classification
};

// Measured values lay within this factor of the forecast excess risk in nearly all cases, on either side.
inline constexpr double kForecastFactor = 2.5;

// Of a mean without features: how far it is off at most, root mean square, as a share of half the target's bounds,
// proven for every table. Nothing for other plans.
std::optional<double> proven_mean_error(const methods::Plan& plan);

// Nothing for methods and models without an error model.
std::optional<Forecast> forecast(const methods::Plan& plan, const Population& population);
// The reason in words where there is no forecast.
std::string why_no_forecast(const methods::Plan& plan);

}  // namespace dperm::planner
