// SPDX-License-Identifier: Apache-2.0
// What someone who knows all rows but one, and weights said to be the minimum over all of them, can compute about the
// last one. At the minimum of a mean of smooth losses with a penalty,
//     slope x = -(n l2_penalty w + sum of the others' gradients),
// where x are the last row's features and slope the derivative of its loss in the score: the right side is known, and
// the intercept's feature is public, so slope and x follow. Noise of a private release stands in the way of exactly
// this.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/task.hpp"

namespace dperm::audit {

// A row in the open. Features are unscaled: the intercept 1, numbers in [-1, 1], categories 0 or 1; the target is +-1
// or in [-1, 1].
struct OpenRow {
  std::vector<double> features = {};
  double target = 0;
};

// Row `number` of the data, exactly. Runs on data that whoever audits has declared open.
OpenRow open_row(const engine::RowSums& sums, const methods::Problem& problem, std::size_t number);

// slope x of the row that is missing, in encoded units. `others`: the sum of the others' gradients at the weights.
std::vector<double> missing_gradient(const methods::Task& task, std::span<const double> weights,
                                     std::span<const double> others);

// The sum of the gradients of all rows but one, in encoded units, as someone who has those rows computes it.
std::vector<double> gradient_of_others(const engine::RowSums& sums, const methods::Task& task,
                                       std::span<const double> weights, std::size_t left_out, Threads threads);

// The row that has this gradient; features as they come out, not moved into their range.
OpenRow row_with_gradient(const methods::Task& task, std::span<const double> weights, std::span<const double> gradient);

// The gradient of a row at these weights, in encoded units.
std::vector<double> gradient_of(const methods::Task& task, std::span<const double> weights, const OpenRow& row);

}  // namespace dperm::audit
