// SPDX-License-Identifier: Apache-2.0
// The sum of a batch's clipped gradients as exact integers. Every row adds an integer vector that depends on that row,
// the weights and public facts alone, of Euclidean norm at most kClipSteps: the sum does not depend on threads, order
// or company. Computed from records: the caller keeps it inside Sensitive. Proof note: clipped_sum.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/data/rows/row_table.hpp"
#include "dperm/engine/network/clipped_query.hpp"
#include "dperm/engine/network/output_loss.hpp"

namespace dperm::network {

// Gradients are with respect to the flat weights, of the loss of the network's outputs at the unscaled features u (a
// row has ||u|| <= sqrt(columns)). A row's gradient g enters as about g min(1, clip / ||g||) kClipSteps / clip, rounded
// to integers; a row whose gradient is not finite enters as zero.
// Throws ArgumentError for bad arguments, never because of what a record holds.
std::vector<std::int64_t> clipped_gradient_sum(const RowTable& table, const RowSample& sample,
                                               const ClippedQuery& query, Threads threads);
// Of these rows: strictly increasing numbers, perhaps none.
std::vector<std::int64_t> clipped_gradient_sum(const RowTable& table, std::span<const std::size_t> rows,
                                               const ClippedQuery& query, Threads threads);

}  // namespace dperm::network
