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

// Nothing for a table that is large enough, and where no signal is defined: pure epsilon, more than one score, no
// features, a penalty or a set.
std::optional<WorthFrom> too_small(const methods::Task& task);

}  // namespace dperm::planner
