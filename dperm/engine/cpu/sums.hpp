// SPDX-License-Identifier: Apache-2.0
// Exact sums over rows. Every function returns integers that do not depend on the number of threads, the vector
// width, the tile height or the order of the rows. Everything returned is computed from records: the caller keeps it
// inside Sensitive. Proof note: sums.md (what one row can contribute).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::engine {

// Steps per unit of a sum's summand: 2^20 for sums that will be noised (32-bit lanes), more for solvers.
enum class Resolution { release, solver };
inline constexpr int kReleaseBits = 20;
inline constexpr int kSolverBits = 40;
// No total leaves 62 bits: every function below throws ArgumentError for more rows than that allows (release: 2^42).
inline constexpr int kTotalBits = 62;
int solver_bits(std::size_t rows);                      // 40, less where rows * 2^40 would not fit 62 bits
double steps(Resolution resolution, std::size_t rows);  // 2^bits

// The gradient of the summed loss, in unscaled feature units. For weights w (in encoded units: score = sum_j w_j u_j /
// sqrt(m), u_j in [-1, 1]) coordinate j is
//     sum_i trunc( steps * clamp(slope_i / slope_bound, -1, 1) * u_ij )       (truncation toward zero)
// so that sum/(steps) * slope_bound / sqrt(m) approximates the true gradient, and one row adds a vector of Euclidean
// norm at most steps * sqrt(m) whatever it holds. Release resolution computes in float, solver resolution in double.
// Solver sums of more than 2^22 rows add integers of 2^40 steps a row, as those of fewer, and only the total is rounded
// down to the steps that fit 62 bits: truncation costs no more with more rows.
// Classification losses read the target's sign (positive is +1, else -1), or whether it is the class loss.positive;
// the others target / kTargetOne.
// Throws ArgumentError unless the loss is valid, slope_bound is in [2^-60, 2^60] and the weights are finite with an
// absolute sum of at most 2^60.
struct GradientQuery {
  loss::Loss loss;
  double slope_bound = 1;           // positive, finite
  std::span<const double> weights;  // size dimension
};
std::vector<std::int64_t> gradient_sum(const data::TileSet& tiles, const GradientQuery& query, Resolution resolution,
                                       Threads threads);

// sum_i trunc( steps(solver) * min(value_i / value_bound, 1) ), computed in double; values are >= 0.
// value_bound in [2^-60, 2^60]. One row adds between 0 and steps(solver).
std::int64_t loss_sum(const data::TileSet& tiles, const loss::Loss& loss, double value_bound,
                      std::span<const double> weights, Threads threads);

// Rows whose predicted sign (score > 0 is +1, else -1) differs from the target's sign (target > 0 is +1, else -1).
// One row changes it by at most 1.
std::int64_t error_count(const data::TileSet& tiles, std::span<const double> weights, Threads threads);

// Second moments as exact integers. Row i is the integer vector v_i = 32767 u_i: v = 32767 for the intercept and for
// the category a row has, v = q for a real column, and its target is y_i = Y_i / 2^30. All three members count in units
// of 1 / 32767^2:
//   upper_triangle   sum_i v_ia v_ib for a <= b, row by row (index a * d - a (a - 1) / 2 + b - a): exact
//   target_products  sum_i trunc(32767 v_ia Y_i / 2^30), truncation toward zero
//   target_square    sum_i floor(32767^2 Y_i^2 / 2^60)
// One row's u u^T has Frobenius norm at most m, its u y Euclidean norm at most sqrt(m), its y^2 is at most 1;
// truncation only shrinks. A row with ||v||^2 above `row_limit` is shortened before, its target with it: multiplied by
// a factor of at most sqrt(row_limit) / ||v|| and truncated toward zero, so that least squares gives it a smaller
// weight. Throws ArgumentError above 2^32 rows or kMaximumGramDimension weights, and for a limit below kGramUnit.
struct GramSums {
  std::vector<std::int64_t> upper_triangle;
  std::vector<std::int64_t> target_products;
  std::int64_t target_square = 0;
};
inline constexpr std::int64_t kGramUnit = 32767 * 32767;  // integers per 1
inline constexpr std::size_t kMaximumGramDimension = 4096;
inline constexpr std::int64_t kWholeRows = INT64_MAX;
GramSums gram_sums(const data::TileSet& tiles, Threads threads, std::int64_t row_limit = kWholeRows);

// The score of every row, in double; for prediction.
std::vector<double> scores(const data::TileSet& tiles, std::span<const double> weights, Threads threads);

// Bounds on |computed - true| for weights with ||w||_2 <= weight_norm and m columns, before truncation to integers: the
// rounding that sensitivity proofs must include. Losses with a kink get the size of their jump: next to the kink the
// computed slope may be that of the other side.
struct SlopeError {
  double score;
  double slope;  // of clamp(slope / slope_bound, -1, 1), at most 2
};
SlopeError slope_error(const loss::Loss& loss, double slope_bound, double weight_norm, std::size_t columns,
                       Resolution resolution);
// A row's integer in any coordinate of gradient_sum differs from the untruncated true
// row_steps * clamp(slope / slope_bound, -1, 1) * u by at most row_steps * slope_error(...).slope + this.
inline constexpr double kTruncationSteps = 3;
double row_steps(Resolution resolution);  // before a solver's total is rounded to steps(resolution, rows)

}  // namespace dperm::engine
