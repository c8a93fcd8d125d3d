// SPDX-License-Identifier: Apache-2.0
// Checks a query, runs its pass over the tiles and gathers the threads' totals.
#include "dperm/engine/cpu/sums.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/engine/cpu/pass_state.hpp"

namespace dperm::engine {
namespace {

constexpr double kSmallestBound = 0x1p-60;
constexpr double kLargestBound = 0x1p60;

void check_slopes(const loss::Loss& loss, double slope_bound) {
  loss::validate(loss);
  require_in_closed_range("slope_bound", slope_bound, kSmallestBound, kLargestBound);
}

// [proof engine_sums.wide]
// Rows add integers of 2^bits steps whatever their number; the sum is exact in 128 bits.
template <class T>
std::vector<WideSum> sum_gradients(const data::TileSet& tiles, const Pass<T>& pass, int bits, Threads threads) {
  std::vector<WideSum> sums(pass.layout->dimension(), 0);
  for_each_tile(
      tiles, threads, [&] { return ThreadState<T>(pass); },
      [&](ThreadState<T>& state, std::size_t, const data::TileView& tile, const std::byte* next) {
        state.make_room(pass, tile.rows, bits);
        add_gradient(pass, state.scratch, tile, next, state.totals);
      },
      [&](ThreadState<T>& state) {
        state.empty_totals(pass);
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += state.sums[j];
      });
  return sums;
}

template <class T>
std::vector<WideSum> gradient(const data::TileSet& tiles, const GradientQuery& query, int bits, Threads threads) {
  const data::TileLayout& layout = tiles.layout();
  const ColumnGroups groups(layout);
  const Pass<T> pass{&layout, &groups, prepare_weights<T>(layout, groups, query.weights, encoded_root(layout)),
                     make_rule<T>(query.loss, query.slope_bound, std::ldexp(1.0, bits))};
  return sum_gradients(tiles, pass, bits, threads);
}
// [/proof]

// Calls visit(total of the thread, tile index, tile, scores of the tile) and returns the sum of the totals.
template <class Visit>
std::int64_t sum_over_scores(const data::TileSet& tiles, std::span<const double> weights, Threads threads,
                             Visit&& visit) {
  const data::TileLayout& layout = tiles.layout();
  const ColumnGroups groups(layout);
  const Pass<double> pass{&layout, &groups, prepare_weights<double>(layout, groups, weights, encoded_root(layout)), {}};
  struct State {
    Scratch<double> scratch;
    std::vector<double> scores;
    std::int64_t total = 0;
  };
  std::int64_t total = 0;
  for_each_tile(
      tiles, threads,
      [&] {
        State state;
        state.scratch.index.assign(groups.narrow_count() * kBlockRows, 0);
        state.scores.assign(layout.height(), 0.0);
        return state;
      },
      [&](State& state, std::size_t index, const data::TileView& tile, const std::byte* next) {
        write_scores(pass, state.scratch, tile, next, state.scores.data());
        state.total += visit(index, tile, state.scores);
      },
      [&](const State& state) { total += state.total; });
  return total;
}

}  // namespace

SlopeRule<double> solver_slope_rule(const loss::Loss& loss, double slope_bound, double step_count) {
  check_slopes(loss, slope_bound);
  return make_rule<double>(loss, slope_bound, step_count);
}

std::vector<WideSum> gradient_total(const data::TileSet& tiles, const GradientQuery& query, Resolution resolution,
                                    Threads threads) {
  check_slopes(query.loss, query.slope_bound);
  return resolution == Resolution::release ? gradient<float>(tiles, query, kReleaseBits, threads)
                                           : gradient<double>(tiles, query, kSolverBits, threads);
}

std::int64_t loss_total(const data::TileSet& tiles, const loss::Loss& loss, double value_bound,
                        std::span<const double> weights, double steps, Threads threads) {
  loss::validate(loss);
  require_in_closed_range("value_bound", value_bound, kSmallestBound, kLargestBound);
  const auto rule = make_rule<double>(loss, value_bound, steps);
  return sum_over_scores(tiles, weights, threads,
                         [&](std::size_t, const data::TileView& tile, const std::vector<double>& tile_scores) {
                           return sum_losses(rule, tile_scores.data(), tile.target(tiles.layout()), tile.rows);
                         });
}

std::int64_t error_count(const data::TileSet& tiles, std::span<const double> weights, Threads threads) {
  return sum_over_scores(tiles, weights, threads,
                         [&](std::size_t, const data::TileView& tile, const std::vector<double>& tile_scores) {
                           const std::int32_t* targets = tile.target(tiles.layout());
                           std::int64_t errors = 0;
                           for (std::size_t r = 0; r < tile.rows; ++r)
                             errors += (tile_scores[r] > 0) != (targets[r] > 0);
                           return errors;
                         });
}

std::vector<double> scores(const data::TileSet& tiles, std::span<const double> weights, Threads threads) {
  std::vector<double> out(tiles.rows());
  sum_over_scores(tiles, weights, threads,
                  [&](std::size_t index, const data::TileView& tile, const std::vector<double>& tile_scores) {
                    std::copy_n(tile_scores.begin(), tile.rows,
                                out.begin() + static_cast<std::ptrdiff_t>(index * tiles.layout().height()));
                    return std::int64_t{0};
                  });
  return out;
}

}  // namespace dperm::engine
