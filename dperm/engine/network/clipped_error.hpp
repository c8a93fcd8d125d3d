// SPDX-License-Identifier: Apache-2.0
// How far the integers of a row are from its true gradient, for models without hidden layers: what a utility theorem of
// steps along clipped gradients needs. A function of public facts. One output: the pass over tiles, several: rows one
// by one. Proof notes: dperm/engine/cpu/clipped_pass.md and clipped_sum.md ("Accuracy").
#pragma once

#include <cstddef>

#include "dperm/engine/network/shape.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::network {

// What is public of rows and of the weights they meet.
struct LinearRows {
  Shape shape;  // without hidden layers
  loss::Loss loss;
  std::size_t columns = 1;  // blocks of the encoding: features of a row have a squared norm of at most this
  double weight_norm = 0;   // largest norm of all weights together
};

// Weights of larger scores are refused: sqrt(columns) * weight_norm.
inline constexpr double kLargestScore = 0x1p50;

// The smallest clip norm at which no row's gradient is shortened, rounding included: a little above the largest
// gradient.
double least_clip(const LinearRows& rows);

struct RowError {
  // A row enters with slopes that belong to scores this far from the true ones (Euclidean norm over the outputs),
  double score;
  // and its integers times step_size(clip) are within this of (a subgradient of the loss at those scores) x features.
  double gradient;
};

// Throws ArgumentError unless least_clip(rows) <= clip <= kLargestClip.
RowError row_error(const LinearRows& rows, double clip);

}  // namespace dperm::network
