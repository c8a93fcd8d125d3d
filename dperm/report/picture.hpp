// SPDX-License-Identifier: Apache-2.0
// Forecast and proven risk of every method against rows and against epsilon, as an SVG picture. Public facts only.
#pragma once

#include <string>

#include "dperm/planner/compare.hpp"

namespace dperm::planner {

// Two panels around the task: rows from a tenth to ten times, epsilon likewise; log scales; forecasts solid,
// proven bounds dashed, the floor of the theory dotted. Throws ArgumentError for an invalid task.
std::string plan_picture(const methods::Task& task, const std::vector<methods::NamedPlanner>& planners,
                         const Population& population);

}  // namespace dperm::planner
