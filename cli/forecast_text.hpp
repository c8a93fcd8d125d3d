// SPDX-License-Identifier: Apache-2.0
// Forecasts in plain words.
#pragma once

#include <string>

#include "dperm/planner/compare.hpp"

namespace dperm::cli {

// What to expect of the alternative, which has a plan, and what twice the rows or epsilon would change; several lines.
// `half_width` turns encoded scores of a real target into its unit.
std::string forecast_text(const planner::Alternative& chosen, const methods::Task& task,
                          const planner::Population& population, double half_width);

// The same as one sentence, without rows and epsilon as asked.
std::string forecast_sentence(const planner::Alternative& chosen, double half_width);

// "to lose about 0.5 points of accuracy to privacy (most often less than 1.2)"; empty where there is no forecast.
std::string expectation_text(const planner::Alternative& chosen, double half_width);

// "0.5 points", or a number in the target's unit.
std::string told_text(const planner::Forecast& prediction, double half_width);

// Of a model on a table where a constant is expected to do as well: says so. Empty for others.
std::string too_small_text(const planner::Alternative& chosen);

}  // namespace dperm::cli
