// SPDX-License-Identifier: Apache-2.0
// What may be asked of the rows of a dataset, and the integers that answer. Queries are public; answers are computed
// from records and stay inside Sensitive. Proof notes: dperm/engine/cpu/sums.md, dperm/engine/cpu/softmax/softmax.md
// and dperm/engine/cpu/weighted_gram.md (what one row can contribute).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "dperm/engine/network/shape.hpp"
#include "dperm/engine/resolution.hpp"
#include "dperm/engine/rules/hypothesis.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::engine {

// The gradient of the summed loss, in unscaled feature units. For weights w (in encoded units: score = sum_j w_j u_j /
// sqrt(m), u_j in [-1, 1]) coordinate j is
//     sum_i trunc( steps * clamp(slope_i / slope_bound, -1, 1) * u_ij )       (truncation toward zero)
// so that sum/(steps) * slope_bound / sqrt(m) approximates the true gradient, and one row adds a vector of Euclidean
// norm at most steps * sqrt(m) whatever it holds. Release resolution computes in float, solver resolution in double.
// Solver sums of more than 2^22 rows add integers of 2^40 steps per row, as those of fewer, and only the total is
// rounded down to the steps that fit 62 bits: truncation costs no more with more rows.
// Classification losses read the target's sign (positive is +1, else -1), or whether it is the class loss.positive;
// the others target / kTargetOne.
// ArgumentError unless the loss is valid, slope_bound is in [2^-60, 2^60] and the weights are finite with an absolute
// sum of at most 2^60.
struct GradientQuery {
  loss::Loss loss;
  double slope_bound = 1;           // positive, finite
  std::span<const double> weights;  // size dimension
};

// With p the shares of the classes (the softmax of a row's scores) and S = steps(resolution, rows):
//   gradient  class by class, sum_i trunc(S (p_ik - [target_i = k]) u_ij) in unscaled feature units: gradient / (S
//             sqrt(m)) approximates the gradient of the summed loss, and one row adds a vector of norm at most
//             S sqrt(2 m) whatever it holds
//   loss      sum_i trunc(S min(loss_i / value_bound, 1)), loss = -ln of the share of the target's class
// Both resolutions compute in double. ArgumentError unless classes is in [2, kMaximumClasses], value_bound in
// [2^-60, 2^60] and the weights are finite with an absolute sum of at most 2^60.
inline constexpr std::size_t kMaximumClasses = 65536;
struct SoftmaxQuery {
  std::size_t classes;
  double value_bound = 1;
  std::span<const double> weights;  // class by class, in encoded units
};
struct SoftmaxSums {
  std::vector<std::int64_t> gradient;  // classes times dimension
  std::int64_t loss = 0;
};

// A model as it answers rows: a linear one with one score or, weights class by class, one score per class; a network;
// a rule, which gives +1 or -1.
struct LinearModel {
  std::span<const double> weights;
  std::size_t outputs = 1;
};
struct NetworkModel {
  network::Shape shape;
  std::span<const double> weights;
};
using RowModel = std::variant<LinearModel, NetworkModel, rules::Hypothesis>;
std::size_t outputs_per_row(const RowModel& model);

// sum_i trunc( steps(solver) * min(value_i / value_bound, 1) ), computed in double; a value that is not a number counts
// as the bound. One row adds between 0 and steps(solver). With one linear score value_bound is in [2^-60, 2^60]
// (ArgumentError). A target outside a softmax model's classes has an infinite value.
struct LossQuery {
  RowModel model;
  loss::Loss loss;
  double value_bound = 1;
};

// Second moments as exact integers. Row i is the integer vector v_i = 32767 u_i: v = 32767 for the intercept and for
// the category a row has, v = q for a real column, and its target is y_i = Y_i / 2^30. All three members count in units
// of 1 / 32767^2:
//   upper_triangle   sum_i v_ia v_ib for a <= b, row by row (index a * d - a (a - 1) / 2 + b - a): exact
//   target_products  sum_i trunc(32767 v_ia Y_i / 2^30), truncation toward zero
//   target_square    sum_i floor(32767^2 Y_i^2 / 2^60)
// One row's u u^T has Frobenius norm at most m, its u y Euclidean norm at most sqrt(m), its y^2 is at most 1;
// truncation only shrinks. A row with ||v||^2 above `row_limit` is shortened before, its target with it: multiplied by
// a factor of at most sqrt(row_limit) / ||v|| and truncated toward zero, so that least squares gives it a smaller
// weight. ArgumentError above 2^32 rows or kMaximumGramDimension weights, and for a limit below kGramUnit.
struct GramSums {
  std::vector<std::int64_t> upper_triangle;
  std::vector<std::int64_t> target_products;
  std::int64_t target_square = 0;
};
inline constexpr std::int64_t kGramUnit = 32767 * 32767;  // integers per 1
inline constexpr std::size_t kMaximumGramDimension = 4096;
inline constexpr std::int64_t kWholeRows = INT64_MAX;

inline constexpr std::size_t kMostBatchRows = std::size_t{1} << (kTotalBits - kSolverBits);  // whose totals fit

// Rows by value, apart by label (target > 0 is positive).
struct LabelCounts {
  std::vector<std::int64_t> negative;
  std::vector<std::int64_t> positive;
};

// Which cell a row is counted in.
// A real column: cell i counts q = i - 32767; 65535 cells.
struct RealCells {
  std::size_t real;
};
// A category: cell i counts code i; levels + 1 cells, the last for rows without a category.
struct CategoryCells {
  std::size_t category;
};
// Two real columns, each cut into `parts` (1 to 1024) equal parts of its range: cell a * parts + b counts rows with the
// first in part a and the second in part b, where q is in part floor((q + 32767) parts / 65535).
struct PairCells {
  std::size_t first, second, parts;
};
// The integers sum_j coefficients[j] q_j over all real columns, their range [-S, S], S = 32767 sum |coefficients|, cut
// into `parts` (1 to 2^20): z is in part floor((z + S) parts / (2 S + 1)). Coefficients up to 2^15 in size.
struct ProjectionCells {
  std::span<const std::int32_t> coefficients;
  std::size_t parts;
};
using Cells = std::variant<RealCells, CategoryCells, PairCells, ProjectionCells>;

// How rows are counted when a model is judged. One row adds to one cell, or to the sums of one bin; which cells there
// are is public. Note: dperm/methods/evaluation/judgement.md.
//
// One score, target of two classes: cell positive * (edges + 1) + bin, where the bin is the number of edges below the
// score (0 for a score that is not a number) and a row is positive with a target above 0. Edges increase strictly.
struct ScoreCells {
  std::span<const double> edges;
};
// Answers: cell target * classes + predicted, or (not `whole`) target * 2 + 1 for a right answer and target * 2 for a
// wrong one. One score has the classes 0 and 1 (above 0); with one score per class the first largest answers, and
// targets outside the list count as the nearest class.
struct AnswerCells {
  std::size_t classes;
  bool whole = true;
};
// One score of a real target. With y = target / kTargetOne, p the score moved into [-1, 1] (0 where it is no number), r
// = y - p and S = kResidualSteps, a row adds to the kResidualMoments sums
//     trunc(S y / 2), trunc(S y^2), trunc(S r^2), trunc(S |r|), S [|r| > 1]
// and, p being in bin b of `bins` equal parts of [-1, 1], S to cell kResidualMoments + b and trunc(S clamp(r, -1, 1))
// to cell kResidualMoments + bins + b.
struct ResidualCells {
  std::size_t bins;
};
inline constexpr std::size_t kResidualMoments = 5;
inline constexpr std::int64_t kResidualSteps = std::int64_t{1} << 20;
using JudgedCells = std::variant<ScoreCells, AnswerCells, ResidualCells>;
std::size_t cell_count(const JudgedCells& cells);
// With a group every code of that category column has its cells, one after the other, and rows without a category have
// the last ones. ArgumentError for a model with another number of outputs than the cells are for, for edges that do not
// increase, for no bins, and beyond kMostJudgedCells.
struct JudgeQuery {
  RowModel model;
  JudgedCells cells;
  std::optional<std::size_t> group = {};
};
inline constexpr std::size_t kMostJudgedCells = std::size_t{1} << 24;

// What a model says to every row, in order, beside the row's target and its code in a category column: for rows that
// are public.
struct RowAnswers {
  std::vector<double> outputs;        // outputs_per_row(model) per row
  std::vector<std::int32_t> targets;  // as encoded
  std::vector<std::uint32_t> groups;  // empty where no column was named
};

// All conjunctions of at most `most` of these literals, by size and then in lexical order of the literals' indices.
struct ConjunctionQuery {
  std::span<const rules::LevelRule> literals;
  std::size_t most;
};

}  // namespace dperm::engine
