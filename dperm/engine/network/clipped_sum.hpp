// SPDX-License-Identifier: Apache-2.0
// The sum of a batch's clipped gradients as exact integers. Every row adds an integer vector that depends on that row,
// the weights and public facts alone, of Euclidean norm at most kClipSteps: the sum does not depend on threads, order
// or company. Computed from records: the caller keeps it inside Sensitive. Proof note: clipped_sum.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/data/rows/row_table.hpp"
#include "dperm/engine/cpu/sums.hpp"
#include "dperm/engine/network/output_loss.hpp"
#include "dperm/engine/network/shape.hpp"

namespace dperm::network {

// The clip norm in steps of the lattice.
inline constexpr std::int64_t kClipSteps = std::int64_t{1} << 24;
// L2 sensitivities of the sum: one row in the batch or not, and one row of the batch replaced.
inline constexpr double kPresenceSensitivity = static_cast<double>(kClipSteps);
inline constexpr double kReplaceSensitivity = 2 * static_cast<double>(kClipSteps);

inline constexpr double kSmallestClip = 0x1p-60;
inline constexpr double kLargestClip = 0x1p60;
// No total leaves 62 bits.
inline constexpr std::size_t kMaximumBatch = std::size_t{1} << 38;

struct ClippedQuery {
  Shape shape;
  loss::Loss loss;
  std::span<const double> weights;  // weight_count(shape)
  double clip = 1;                  // largest norm of a row's gradient, in [kSmallestClip, kLargestClip]
};

// Gradients are with respect to the flat weights, of the loss of the network's outputs at the unscaled features u (a
// row has ||u|| <= sqrt(columns)). A row's gradient g enters as about g min(1, clip / ||g||) kClipSteps / clip, rounded
// to integers; a row whose gradient is not finite enters as zero. `rows` is strictly increasing and may be empty.
// Throws ArgumentError for bad arguments, never because of what a record holds.
std::vector<std::int64_t> clipped_gradient_sum(const RowTable& table, std::span<const std::size_t> rows,
                                               const ClippedQuery& query, Threads threads);

// integer * step_size(clip) is a gradient.
inline double step_size(double clip) { return clip / static_cast<double>(kClipSteps); }

}  // namespace dperm::network
