// SPDX-License-Identifier: Apache-2.0
// Exact sums over rows for softmax regression: one score a class, integers that do not depend on threads, vector width,
// tile height or the order of the rows. Everything returned is computed from records: the caller keeps it inside
// Sensitive. Proof note: softmax.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/cpu/sums.hpp"

namespace dperm::engine {

inline constexpr std::size_t kMaximumClasses = 65536;

// With p the shares of the classes (the softmax of a row's scores) and S = steps(resolution, rows):
//   gradient  class by class, sum_i trunc(S (p_ik - [target_i = k]) u_ij) in unscaled feature units: gradient / (S
//             sqrt(m)) approximates the gradient of the summed loss, and one row adds a vector of norm at most
//             S sqrt(2 m) whatever it holds
//   loss      sum_i trunc(S min(loss_i / value_bound, 1)), loss = -ln of the share of the target's class
struct SoftmaxSums {
  std::vector<std::int64_t> gradient;  // classes times dimension
  std::int64_t loss = 0;
};
// `weights` class by class, in encoded units; both resolutions compute in double. Throws ArgumentError unless classes
// is in [2, kMaximumClasses], value_bound in [2^-60, 2^60] and the weights are finite with an absolute sum of at most
// 2^60.
SoftmaxSums softmax_sums(const data::TileSet& tiles, std::size_t classes, double value_bound,
                         std::span<const double> weights, Resolution resolution, Threads threads);

// Rounding that proofs must include, for weights of Euclidean norm at most weight_norm (all classes together).
struct SoftmaxError {
  double score;   // Euclidean norm, over the classes, of computed minus true scores of a row
  double slopes;  // the same for p - [target = k], before truncation to integers
};
SoftmaxError softmax_error(std::size_t classes, double weight_norm, std::size_t columns);
// The integers that a row adds to the gradient differ from the true S (p_k - [target = k]) u_j by a matrix of Euclidean
// norm at most sqrt(m) (S * softmax_error(...).slopes + this * sqrt(classes)).
inline constexpr double kSoftmaxTruncationSteps = 2.1;

}  // namespace dperm::engine
