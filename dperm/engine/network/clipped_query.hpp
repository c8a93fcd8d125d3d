// SPDX-License-Identifier: Apache-2.0
// What a sum of clipped gradients is asked with, and the lattice it lies on. Proof note: clipped_sum.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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

struct ClippedQuery {
  Shape shape;
  loss::Loss loss;
  std::span<const double> weights;  // weight_count(shape)
  double clip = 1;                  // largest norm of a row's gradient, in [kSmallestClip, kLargestClip]
};

// integer * step_size(clip) is a gradient.
inline double step_size(double clip) { return clip / static_cast<double>(kClipSteps); }

}  // namespace dperm::network
