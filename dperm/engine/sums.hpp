// SPDX-License-Identifier: Apache-2.0
// Exact sums over rows. Every function returns integers that do not depend on the number of threads, the vector
// width, the tile height or the order of the rows. Proof note: sums.md (what one row can contribute).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/data/tiles.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::engine {

// Steps per unit of a sum's summand: 2^20 for sums that will be noised (32-bit lanes), more for solvers.
enum class Resolution { release, solver };
inline constexpr int kReleaseBits = 20;
int solver_bits(std::size_t rows);  // 40, less where rows * 2^40 would not fit 62 bits
double steps(Resolution resolution, std::size_t rows);  // 2^bits

struct Threads {
  int count = 0;  // 0: all cores
};

// The gradient of the summed loss, in unscaled feature units. For weights w (in encoded units: score = sum_j w_j u_j /
// sqrt(m), u_j in [-1, 1]) coordinate j is
//     sum_i trunc( steps * clamp(slope_i / slope_bound, -1, 1) * u_ij )       (truncation toward zero)
// so that sum/(steps) * slope_bound / sqrt(m) approximates the true gradient, and one row adds a vector of Euclidean
// norm at most steps * sqrt(m) whatever it holds. Release resolution computes in float, solver resolution in double.
struct GradientQuery {
  loss::Loss loss;
  double slope_bound = 1;          // positive, finite
  std::span<const double> weights; // size dimension
};
std::vector<std::int64_t> gradient_sum(const data::TileSet& tiles, const GradientQuery& query, Resolution resolution,
                                       Threads threads);

// sum_i trunc( steps(solver) * min(value_i / value_bound, 1) ), computed in double; values are >= 0.
std::int64_t loss_sum(const data::TileSet& tiles, const loss::Loss& loss, double value_bound,
                      std::span<const double> weights, Threads threads);

// Rows whose predicted sign (score > 0 is +1) differs from the target's sign. One row changes it by at most 1.
std::int64_t error_count(const data::TileSet& tiles, std::span<const double> weights, Threads threads);

// Upper triangle, row by row, of sum_i u_i u_i^T in units of 1 / 32767^2 (u includes the intercept); then the vector
// sum_i u_i y_i for real targets in units of 1 / (32767 * 2^30), rounded toward zero per row to units of 1/(32767*32767).
struct GramSums {
  std::vector<std::int64_t> upper_triangle;
  std::vector<std::int64_t> target_products;
  std::int64_t target_square = 0;
};
GramSums gram_sums(const data::TileSet& tiles, Threads threads);

// The score of every row, in double; for prediction.
std::vector<double> scores(const data::TileSet& tiles, std::span<const double> weights, Threads threads);

// A bound on |computed - true| for score and slope/slope_bound at the given resolution, for weights with
// ||w||_2 <= weight_norm and m columns: the rounding that sensitivity proofs must include.
struct SlopeError {
  double score;
  double slope;  // of slope / slope_bound
};
SlopeError slope_error(const loss::Loss& loss, double slope_bound, double weight_norm, std::size_t columns,
                       Resolution resolution);

}  // namespace dperm::engine
