// SPDX-License-Identifier: Apache-2.0
// Proof notes: weighted_gram.md and dperm/methods/newton/newton.md.
#include "dperm/engine/cpu/weighted_gram.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/data/tiles/knots.hpp"
#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine {

namespace {

// The features of one row that are not 0.
struct RowFeature {
  std::size_t weight;
  std::int64_t value;
};

void read_row(const data::TileLayout& layout, const data::TileView& tile, std::size_t row,
              std::vector<RowFeature>& out) {
  out.assign(1, {0, schema::kRealOne});
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    if (layout.real_weight(j) != schema::kNoWeight) out.push_back({layout.real_weight(j), tile.real(layout, j)[row]});
  }
  data::for_each_knot(layout, tile, row,
                      [&](std::size_t weight, std::int32_t value) { out.push_back({weight, value}); });
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    const std::uint32_t code = tile.code(layout, c, row);
    if (code < layout.category_levels(c)) {
      out.push_back({layout.category_first_weight(c) + code, schema::kRealOne});
    }
  }
}

}  // namespace

// [proof engine_weighted_gram.sums]
std::vector<std::int64_t> weighted_gram(const data::TileSet& tiles, std::span<const std::uint32_t> weights,
                                        Threads threads) {
  const data::TileLayout& layout = tiles.layout();
  const std::size_t d = layout.dimension();
  require(d <= kMaximumGramDimension, "too many weights for a matrix of second moments");
  require(weights.size() == tiles.rows(), "there must be one weight per row");
  const std::uint32_t largest = largest_row_weight(tiles.rows());
  require(std::all_of(weights.begin(), weights.end(), [&](std::uint32_t k) { return k <= largest; }),
          "row weights must be at most largest_row_weight");
  struct State {
    std::vector<std::int64_t> sum;
    std::vector<RowFeature> row;
  };
  std::vector<std::int64_t> out(d * (d + 1) / 2, 0);
  for_each_tile(
      tiles, threads, [&] { return State{std::vector<std::int64_t>(out.size(), 0), {}}; },
      [&](State& state, std::size_t index, const data::TileView& tile, const std::byte*) {
        for (std::size_t r = 0; r < tile.rows; ++r) {
          read_row(layout, tile, r, state.row);
          std::sort(state.row.begin(), state.row.end(), [](auto a, auto b) { return a.weight < b.weight; });
          const std::int64_t weight = weights[index * layout.height() + r];
          for (std::size_t i = 0; i < state.row.size(); ++i) {
            const RowFeature a = state.row[i];
            std::int64_t* line = state.sum.data() + (a.weight * d - a.weight * (a.weight + 1) / 2);
            for (std::size_t j = i; j < state.row.size(); ++j) {
              line[state.row[j].weight] += weight * a.value * state.row[j].value;
            }
          }
        }
      },
      [&](const State& state) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += state.sum[i];
      });
  return out;
}
// [/proof]

// [proof methods_newton.curvature]
std::vector<std::int64_t> curvature_gram(const data::TileSet& tiles, std::span<const double> weights,
                                         std::uint32_t largest, Threads threads) {
  std::vector<std::uint32_t> curvature;
  curvature.reserve(tiles.rows());
  for (const double score : scores(tiles, weights, threads)) {
    // Four times tanh(z/2)/(2z), the curvature of the quadratic upper bound at score z, in [0, 1].
    const double share = std::fabs(score) < 1e-4 ? 1.0 : 2 * std::tanh(score / 2) / score;
    curvature.push_back(static_cast<std::uint32_t>(std::fmin(std::fmax(share, 0.0), 1.0) * largest));
  }
  return weighted_gram(tiles, curvature, threads);
}
// [/proof]

}  // namespace dperm::engine
