// SPDX-License-Identifier: Apache-2.0
// The accuracy to expect of a plan, from public facts: realistic, not guaranteed. Model and its measured error:
// docs/forecast.md.
#pragma once

#include <optional>
#include <string>

#include "dperm/methods/method.hpp"
#include "dperm/planner/population.hpp"
#include "dperm/planner/range.hpp"

namespace dperm::planner {

// Against the same model without privacy: the same columns in the same shapes, the same classes or rules.
struct Forecast {
  double excess_risk;                        // of the mean loss; never above a bound
  double lower, upper;                       // it most often lies between
  std::optional<double> accuracy_lost = {};  // share of right answers, for classification
  double score_noise = 0;                    // for a real target: root mean square by which scores in [-1, 1] move
  // What people are told: the accuracy lost, or the score noise of a real target. Lower end 0: it may be too little to
  // be seen in a test.
  Range told = {};
};

// Of a mean without features: how far it is off at most, root mean square, as a share of half the target's bounds,
// proven for every table. Nothing for other plans.
std::optional<double> proven_mean_error(const methods::Plan& plan);

// Nothing for plans of which nothing was measured.
std::optional<Forecast> forecast(const methods::Plan& plan, const Population& population);
// The reason in words where there is no forecast.
std::string why_no_forecast(const methods::Plan& plan);

}  // namespace dperm::planner
