// SPDX-License-Identifier: Apache-2.0
// The other inverse question: how much privacy budget a wanted accuracy costs.
#pragma once

#include <optional>

#include "dperm/planner/compare.hpp"
#include "dperm/planner/measure.hpp"

namespace dperm::planner {

// The smallest epsilon (to 1%, between 1e-4 and 100) at which the measure of the plan is at most `target`,
// with everything else as in the task; nothing when even 100 is too little.
std::optional<double> needed_epsilon(const methods::Planner& planner, methods::Task task, double target,
                                     const Measure& measure = proven_risk);

}  // namespace dperm::planner
