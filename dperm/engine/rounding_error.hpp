// SPDX-License-Identifier: Apache-2.0
// How far computed scores, slopes and losses of a row can lie from the real numbers they stand for: the rounding that
// proofs must include. The same for every implementation of RowSums, because all owe the same integers. Proof notes:
// dperm/engine/cpu/sums.md, dperm/engine/cpu/softmax/softmax.md and dperm/engine/cpu/value_error.md.
#pragma once

#include <cstddef>

#include "dperm/engine/resolution.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::engine {

// Bounds on |computed - true| for weights with ||w||_2 <= weight_norm and m columns, before truncation to integers.
// Losses with a kink get the size of their jump: next to the kink the computed slope may be that of the other side.
struct SlopeError {
  double score;
  double slope;  // of clamp(slope / slope_bound, -1, 1), at most 2
};
SlopeError slope_error(const loss::Loss& loss, double slope_bound, double weight_norm, std::size_t columns,
                       Resolution resolution);
// The integers that a row adds to a gradient sum differ from the untruncated true
// row_steps * clamp(slope / slope_bound, -1, 1) * u by a vector of Euclidean norm at most
// sqrt(m) (row_steps * slope_error(...).slope + this), and in any coordinate by at most what the bracket says.
inline constexpr double kTruncationSteps = 3;

// The same for softmax, for weights of Euclidean norm at most weight_norm (all classes together).
struct SoftmaxError {
  double score;   // Euclidean norm, over the classes, of computed minus true scores of a row
  double slopes;  // the same for p - [target = k], before truncation to integers
};
SoftmaxError softmax_error(std::size_t classes, double weight_norm, std::size_t columns);
// The integers that a row adds to the gradient differ from the true S (p_k - [target = k]) u_j by a matrix of Euclidean
// norm at most sqrt(m) (S * softmax_error(...).slopes + this * sqrt(classes)).
inline constexpr double kSoftmaxTruncationSteps = 2.1;      // rows without knots
inline constexpr double kSoftmaxKnotTruncationSteps = 2.7;  // of curves, steps and pairs

// For weights with ||w||_2 <= weight_norm and m columns, and every value_bound that no loss exceeds, a row's integer in
// a loss sum of one linear score is at most  steps * (value + value_error) / value_bound  and more than
// steps * (value - value_error) / value_bound - 1.
double value_error(const loss::Loss& loss, double weight_norm, std::size_t columns);

}  // namespace dperm::engine
