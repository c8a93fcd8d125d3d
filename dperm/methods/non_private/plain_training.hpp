// SPDX-License-Identifier: Apache-2.0
// A network trained as anyone would without privacy: Adam on batches in a shuffled order, until it knows its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/plan.hpp"

namespace dperm::methods {

struct PlainTraining {
  Task task;
  std::size_t batch;
  std::size_t steps;
  double learning_rate;
  std::uint64_t seed;  // of starting weights and order of the rows
};

PlainTraining plain_training(const Task& task, const NonPrivateOptions& options);

// Runs inside Sensitive::map.
std::vector<double> train_plainly(const engine::RowSums& sums, const PlainTraining& settings,
                                  const FitOptions& options);

}  // namespace dperm::methods
