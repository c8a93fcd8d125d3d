// SPDX-License-Identifier: Apache-2.0
// The public task as the planner takes it.
#pragma once

#include "dperm/planner/question.hpp"
#include "dperm/task.hpp"

namespace dperm::api {

planner::Question question(const Task& task);

}  // namespace dperm::api
