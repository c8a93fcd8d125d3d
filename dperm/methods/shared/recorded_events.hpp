// SPDX-License-Identifier: Apache-2.0
// The two checks every fit makes: the data is the one the plan was made for, and what was recorded is what was planned.
#pragma once

#include "dperm/core/check.hpp"
#include "dperm/methods/method.hpp"

namespace dperm::methods {

inline void check_facts(const Plan& plan, const data::Dataset& dataset) {
  require(plan.task.facts == facts_of(dataset.encoding(), plan.task.problem, dataset.rows()),
          "the plan was made for other data (rows, weights, columns or classes differ); plan again");
}

inline void check_events(const Plan& plan, const privacy::Curator& curator) {
  ensure(curator.events() == plan.events, "recorded events differ from planned events; nothing is released");
}

}  // namespace dperm::methods
