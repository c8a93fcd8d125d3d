// SPDX-License-Identifier: Apache-2.0
// The inverse question: how many records give a wanted accuracy.
#pragma once

#include <cstddef>
#include <optional>

#include "dperm/planner/compare.hpp"
#include "dperm/planner/measure.hpp"

namespace dperm::planner {

inline constexpr std::size_t kMostRows = std::size_t{1} << 40;

// The smallest number of rows (to 1%) at which the measure of the plan is at most `target`, with everything
// else as in the task; nothing when even kMostRows are too few.
std::optional<std::size_t> needed_rows(const methods::Planner& planner, methods::Task task, double target,
                                       const Measure& measure = proven_risk);

}  // namespace dperm::planner
