// SPDX-License-Identifier: Apache-2.0
// One number for how sure a model is of a row's own target: large where the row was learned by heart.
#pragma once

#include <cstdint>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/evaluation/prediction.hpp"

namespace dperm::audit {

struct RowStatistics {
  std::vector<double> sureness;     // per row: log-odds of the right class, margin, or minus the loss
  std::vector<std::uint32_t> kind;  // per row: its class, for attackers that look at classes apart
  std::vector<bool> right;          // per row: the model's answer is its target (classification)
};

// Of every row of the data, in order.
RowStatistics statistics_of(const engine::RowSums& sums, const methods::FittedModel& model, Threads threads);

}  // namespace dperm::audit
