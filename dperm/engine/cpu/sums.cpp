// SPDX-License-Identifier: Apache-2.0
// Checks a query, runs its pass over the tiles and gathers the threads' totals.
#include "dperm/engine/cpu/sums.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dperm/core/check.hpp"
#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/engine/cpu/pass.hpp"

namespace dperm::engine {
namespace {

constexpr double kSmallestBound = 0x1p-60;
constexpr double kLargestBound = 0x1p60;

// The rule of a loss whose slopes (or values) are divided by `bound`.
template <class T>
SlopeRule<T> make_rule(const loss::Loss& loss, double bound, double step_count) {
  SlopeRule<T> rule;
  rule.loss = loss;
  rule.steps = static_cast<T>(step_count);
  rule.scale = static_cast<T>(step_count / bound);
  if (loss.positive) rule.first_positive = rule.last_positive = static_cast<T>(*loss.positive);
  return rule;
}

void check_slopes(const loss::Loss& loss, double slope_bound) {
  loss::validate(loss);
  require_in_closed_range("slope_bound", slope_bound, kSmallestBound, kLargestBound);
}

template <class T>
struct ThreadState {
  explicit ThreadState(const Pass<T>& pass) : totals(*pass.layout, *pass.groups) {}
  Scratch<T> scratch;
  Totals totals;
  std::size_t rows = 0;       // in totals
  std::vector<float> kept;    // of the tile at hand
  std::vector<WideSum> sums;  // of emptied totals, one per weight
};

template <class T>
ThreadState<T> make_state(const Pass<T>& pass) {
  ThreadState<T> state(pass);
  state.scratch.index.assign(pass.groups->narrow_count() * kBlockRows, 0);
  state.sums.assign(pass.layout->dimension(), 0);
  return state;
}

template <class T>
void empty_totals(const Pass<T>& pass, ThreadState<T>& state) {
  state.totals.for_each_weight(*pass.layout, *pass.groups,
                               [&](std::size_t weight, std::int64_t total) { state.sums[weight] += total; });
  state.totals.clear();
  state.rows = 0;
}

// [proof engine_sums.wide]
// Which rows of a tile count: 1 or 0 for each, or null where all do. Called by several threads.
using Keep = std::function<const float*(std::size_t tile, std::vector<float>& memory)>;

// Rows add integers of 2^bits steps whatever their number; the sum is exact in 128 bits.
template <class T>
std::vector<WideSum> sum_gradients(const data::TileSet& tiles, const Pass<T>& pass, int bits, Threads threads,
                                   const Keep& keep = {}) {
  const std::size_t rows_that_fit = std::size_t{1} << (kTotalBits - bits);
  std::vector<WideSum> sums(pass.layout->dimension(), 0);
  for_each_tile(
      tiles, threads, [&] { return make_state(pass); },
      [&](ThreadState<T>& state, std::size_t index, const data::TileView& tile, const std::byte* next) {
        if (state.rows + tile.rows > rows_that_fit) empty_totals(pass, state);
        if constexpr (std::is_same_v<T, float>) {
          add_gradient(pass, state.scratch, tile, next, state.totals, keep ? keep(index, state.kept) : nullptr);
        } else {
          add_gradient(pass, state.scratch, tile, next, state.totals);
        }
        state.rows += tile.rows;
      },
      [&](ThreadState<T>& state) {
        empty_totals(pass, state);
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

// [proof engine_clipped.sum]
// An optimiser holds every weight below 2^60, and there are at most 2^17: no run of steps is refused on its way.
constexpr double kLargestSteppedSum = 0x1p80;

std::vector<std::int64_t> clipped_linear_sum(const data::TileSet& tiles, const network::ClippedQuery& query,
                                             std::span<const std::size_t> rows, Threads threads) {
  const data::TileLayout& layout = tiles.layout();
  network::validate(query, layout.dimension(), rows, tiles.rows());
  const ColumnGroups groups(layout);
  const double steps = std::ldexp(1.0, network::kClippedBits);
  Pass<float> pass{&layout, &groups, prepare_weights<float>(layout, groups, query.weights, 1, kLargestSteppedSum),
                   make_rule<float>(query.loss, query.clip, steps)};
  pass.rule.longest = static_cast<float>(steps * network::clipped_margin(layout.columns()));
  const Keep sample = [&](std::size_t tile, std::vector<float>& kept) {
    kept.assign(layout.height(), 0.0f);
    const std::size_t first = tile * layout.height();
    auto row = std::lower_bound(rows.begin(), rows.end(), first);
    for (; row != rows.end() && *row < first + layout.height(); ++row) kept[*row - first] = 1;
    return kept.data();
  };
  const bool all = rows.size() == tiles.rows();
  std::vector<std::int64_t> out;
  for (const WideSum sum : sum_gradients(tiles, pass, network::kClippedBits, threads, all ? Keep{} : sample)) {
    out.push_back(static_cast<std::int64_t>(sum * (network::kClipSteps >> network::kClippedBits)));
  }
  return out;
}
// [/proof]

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
