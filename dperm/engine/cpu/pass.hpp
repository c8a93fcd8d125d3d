// SPDX-License-Identifier: Apache-2.0
// One pass over the tiles as the vector code sees it: weights made ready, the rule for slopes, per-thread totals and
// row buffers. Internal to the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/cpu/column_groups.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::engine {

// Rows handled at once. Their buffers fit the first-level cache, and 512 * 2^20 < 2^31 is why a 32-bit lane cannot
// overflow within a block, 512 * 2^40 < 2^53 why a double lane stays exact.
inline constexpr std::size_t kBlockRows = 512;

// Entries of a curve's table: its knots, and room for whole vectors to be read behind them.
inline constexpr std::size_t kCurveTable = 96;

// Release resolution (T = float) keeps category weights as integers of `unit`, a power of two: their sum is exact, so
// every way of adding them gives the same score. Solver resolution (T = double) adds table entries group by group.
template <class T>
struct PreparedWeights {
  using Cell = std::conditional_t<std::is_same_v<T, float>, std::int32_t, double>;
  T intercept = 0;
  T unit = 1;
  std::vector<T> reals;                   // weight of the integer q, in layout order
  std::vector<Cell> cells;                // one per cell of the groups
  std::vector<std::int32_t> lane_tables;  // kLaneTable entries per category; float only
  std::vector<T> curves;                  // weights of 1/32767 of a knot, kCurveTable entries per curve
  std::vector<T> surfaces;                // the same for pairs, one after the other
};

// A score is the sum of weights times unscaled features, divided by `root`: sqrt(columns) for weights in encoded units.
// Throws ArgumentError unless there are layout.dimension() finite weights of absolute sum at most `largest_sum`.
template <class T>
PreparedWeights<T> prepare_weights(const data::TileLayout& layout, const ColumnGroups& groups,
                                   std::span<const double> weights, double root, double largest_sum = 0x1p60);
double encoded_root(const data::TileLayout& layout);

template <class T>
struct SlopeRule {
  loss::Loss loss;
  T steps = 1;  // 2^bits; |integer slope| <= steps
  T scale = 1;  // steps / slope_bound
  // Classification: targets from first_positive to last_positive are +1, others -1.
  T first_positive = 1;
  T last_positive = std::numeric_limits<T>::max();
  // Above 0: slopes are at most this over the norm of the row's unscaled features.
  T longest = 0;
};

// The rule for gradients at solver resolution; checks the loss and the bound as gradient_sum does.
SlopeRule<double> solver_slope_rule(const loss::Loss& loss, double slope_bound, double step_count);

struct Totals {
  std::int64_t intercept = 0;
  std::vector<std::int64_t> reals;
  std::vector<std::int64_t> cells;
  std::vector<std::int64_t> curves;    // both knots of every piece, curve by curve
  std::vector<std::int64_t> surfaces;  // cells of the pairs

  explicit Totals(const data::TileLayout& layout, const ColumnGroups& groups);
  void clear();
  // Calls visit(weight index, total), several times for some weights.
  template <class Visit>
  void for_each_weight(const data::TileLayout& layout, const ColumnGroups& groups, Visit&& visit) const {
    visit(0, intercept);
    for (std::size_t j = 0; j < reals.size(); ++j) {
      if (layout.real_weight(j) != schema::kNoWeight) visit(layout.real_weight(j), reals[j]);
    }
    groups.for_each_weight(layout, [&](std::size_t weight, std::size_t cell) { visit(weight, cells[cell]); });
    const std::int64_t* at = curves.data();
    for (const std::size_t j : layout.curves()) {
      const schema::RealCode& code = layout.real_code(j);
      for (std::size_t piece = 0; piece < code.pieces; ++piece, at += 2) {
        visit(code.first_knot + piece, at[0]);
        if (!code.steps) visit(code.first_knot + piece + 1, at[1]);
      }
    }
    at = surfaces.data();
    for (const schema::PairCode& pair : layout.pairs()) {
      const std::size_t knots = std::size_t{pair.pieces + 1} * (pair.pieces + 1);
      for (std::size_t knot = 0; knot < knots; ++knot) visit(pair.first_knot + knot, *at++);
    }
  }
};

// Buffers of one thread, one entry per row of the block.
template <class T>
struct alignas(64) Scratch {
  using Slope = std::conditional_t<std::is_same_v<T, float>, std::int32_t, std::int64_t>;
  using Part = std::conditional_t<std::is_same_v<T, float>, std::int32_t, double>;  // an integer of a gradient
  T score[kBlockRows];
  T shrunk[kBlockRows];  // integer slope times slightly less than 1/32767
  Slope slope[kBlockRows];
  typename PreparedWeights<T>::Cell category[kBlockRows];
  T surface[kBlockRows];             // the pairs' part of a score
  T norm[kBlockRows];                // squared, of the unscaled features; clipped passes only
  std::vector<std::uint16_t> index;  // kBlockRows entries a narrow group
};

template <class T>
struct Pass {
  const data::TileLayout* layout;
  const ColumnGroups* groups;
  PreparedWeights<T> weights;
  SlopeRule<T> rule;
};

// Per tile; `next` is the tile this thread reads next (or the same again), for prefetching. Any row may hold anything:
// codes beyond the levels count as no category.
// `keep`: one bit for each row of the tile, 1 if it counts; null: all count.
void add_gradient(const Pass<float>& pass, Scratch<float>& scratch, const data::TileView& tile, const std::byte* next,
                  Totals& totals, const std::uint64_t* keep = nullptr);
void add_gradient(const Pass<double>& pass, Scratch<double>& scratch, const data::TileView& tile, const std::byte* next,
                  Totals& totals);
void write_scores(const Pass<double>& pass, Scratch<double>& scratch, const data::TileView& tile, const std::byte* next,
                  double* out);

// sum of trunc(steps * min(value * scale / steps, 1)) over `rows` scores; rule.scale is steps / value_bound.
std::int64_t sum_losses(const SlopeRule<double>& rule, const double* scores, const std::int32_t* targets,
                        std::size_t rows);

}  // namespace dperm::engine
