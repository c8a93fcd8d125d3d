// SPDX-License-Identifier: Apache-2.0
// What a sum of clipped gradients is asked with, and the lattice it lies on. Proof note: clipped_sum.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dperm/core/row_sample.hpp"
#include "dperm/engine/network/shape.hpp"
#include "dperm/loss/loss.hpp"

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

// Models with one linear score: a row's integers are multiples of 2^(24 - this) steps, from 32-bit lanes over tiles.
inline constexpr int kClippedBits = 20;
// The share of the clip that such rows may have: what is left covers the rounding of norms in float. Not below 1 - 1/63
// for the widest network, which has as many columns as inputs (cpu/clipped_pass.md).
inline double clipped_margin(std::size_t columns) { return 1 - (2 * static_cast<double>(columns) + 16) * 0x1p-24; }

struct ClippedQuery {
  Shape shape;
  loss::Loss loss;
  std::span<const double> weights;  // weight_count(shape)
  double clip = 1;                  // largest norm of a row's gradient, in [kSmallestClip, kLargestClip]

  bool has_one_linear_score() const { return shape.hidden.empty() && shape.outputs == 1; }
};
// Throws ArgumentError unless the query is one for rows of `inputs` features and the sample is drawn from a table of
// `table_rows` rows.
void validate(const ClippedQuery& query, std::size_t inputs, const RowSample& sample, std::size_t table_rows);

// integer * step_size(clip) is a gradient.
inline double step_size(double clip) { return clip / static_cast<double>(kClipSteps); }

}  // namespace dperm::network
