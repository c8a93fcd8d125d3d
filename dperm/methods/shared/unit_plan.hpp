// SPDX-License-Identifier: Apache-2.0
// Plans that protect a person, who has several rows, made of algorithms whose proofs are about one row. Note:
// unit_plan.md.
#pragma once

#include <functional>

#include "dperm/methods/plan.hpp"

namespace dperm::methods {

// `one_row` plans the algorithm for a unit of one row (sgd: for the task's). Finds the budget of a row at which the
// rows of a person together have the task's, and records what they have. Throws ArgumentError with the reason for
// algorithms that are not proved for blank rows or for several rows at once.
Plan plan_for_unit(const Task& task, const AlgorithmOptions& options, const std::function<Plan(const Task&)>& one_row);

}  // namespace dperm::methods
