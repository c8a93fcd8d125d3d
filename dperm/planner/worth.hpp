// SPDX-License-Identifier: Apache-2.0
// Is a table large enough for a model to be better than a constant? From public facts; measurements: docs/forecast.md.
#pragma once

#include <cstddef>
#include <optional>

#include "dperm/methods/task.hpp"

namespace dperm::planner {

// Where a model begins to be worth it, everything else as in the task.
struct WorthFrom {
  std::size_t rows;
  std::optional<double> epsilon;  // nothing: no epsilon is enough
};

// Nothing for a table that is large enough, and where no signal is defined: pure epsilon, rules, no features, a penalty
// or a set.
std::optional<WorthFrom> too_small(const methods::Task& task);

// Is a model of effects that add up asked of a table that is large enough to teach a network more?
bool network_may_pay(const methods::Task& task);

}  // namespace dperm::planner
