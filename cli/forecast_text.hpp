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

// One line for a model that is about to be fitted; empty where there is no forecast.
std::string expectation_line(const planner::Alternative& chosen, double half_width);

}  // namespace dperm::cli
