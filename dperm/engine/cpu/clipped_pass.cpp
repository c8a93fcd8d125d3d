// SPDX-License-Identifier: Apache-2.0
// Clipped gradients of one linear score: the pass of sums.cpp with a limit for every row, over all rows or a sample.
// Proof note: clipped_pass.md.
#include <bit>
#include <cmath>

#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/engine/cpu/gathered_rows.hpp"
#include "dperm/engine/cpu/pass_state.hpp"
#include "dperm/engine/cpu/sums.hpp"

namespace dperm::engine {
namespace {

// Below one row in so many, chosen rows are gathered: copying one costs about as much as passing over four.
constexpr std::size_t kFew = 6;

struct SampledState : ThreadState<float> {
  explicit SampledState(const Pass<float>& pass) : ThreadState<float>(pass), gathered(*pass.layout) {}
  std::vector<std::uint64_t> kept;  // one bit for each row of the tile at hand
  GatheredRows gathered;
};

// [proof engine_clipped.sample]
void add_gathered(const Pass<float>& pass, SampledState& state) {
  if (state.gathered.rows() == 0) return;
  const data::TileView tile = state.gathered.tile();
  state.make_room(pass, tile.rows, network::kClippedBits);
  add_gradient(pass, state.scratch, tile, tile.base, state.totals);
  state.gathered.clear();
}

void add_chosen(const Pass<float>& pass, SampledState& state, const RowSample& sample, std::size_t first,
                const data::TileView& tile, const std::byte* next) {
  state.kept.resize(RowSample::word_count(tile.rows));
  sample.mark(first, tile.rows, state.kept);
  std::size_t chosen = 0;
  for (const std::uint64_t word : state.kept) chosen += static_cast<std::size_t>(std::popcount(word));
  if (kFew * chosen >= tile.rows) {
    state.make_room(pass, tile.rows, network::kClippedBits);
    add_gradient(pass, state.scratch, tile, next, state.totals, state.kept.data());
  } else {
    if (!state.gathered.has_room_for(chosen)) add_gathered(pass, state);
    state.gathered.add(tile, state.kept);
  }
}

std::vector<WideSum> sum_of_sample(const data::TileSet& tiles, const Pass<float>& pass, const RowSample& sample,
                                   Threads threads) {
  std::vector<WideSum> sums(pass.layout->dimension(), 0);
  data::for_each_tile(
      tiles, threads, [&] { return SampledState(pass); },
      [&](SampledState& state, std::size_t index, const data::TileView& tile, const std::byte* next) {
        if (sample.has_all()) {
          state.make_room(pass, tile.rows, network::kClippedBits);
          add_gradient(pass, state.scratch, tile, next, state.totals);
        } else {
          add_chosen(pass, state, sample, index * pass.layout->height(), tile, next);
        }
      },
      [&](SampledState& state) {
        add_gathered(pass, state);
        state.empty_totals(pass);
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += state.sums[j];
      });
  return sums;
}
// [/proof]

}  // namespace

// [proof engine_clipped.sum]
// An optimiser holds every weight below 2^60, and there are at most 2^17: no run of steps is refused on its way.
constexpr double kLargestSteppedSum = 0x1p80;

std::vector<std::int64_t> clipped_linear_sum(const data::TileSet& tiles, const network::ClippedQuery& query,
                                             const RowSample& sample, Threads threads) {
  const data::TileLayout& layout = tiles.layout();
  network::validate(query, layout.dimension(), sample, tiles.rows());
  const ColumnGroups groups(layout);
  const double steps = std::ldexp(1.0, network::kClippedBits);
  Pass<float> pass{&layout, &groups, prepare_weights<float>(layout, groups, query.weights, 1, kLargestSteppedSum),
                   make_rule<float>(query.loss, query.clip, steps)};
  pass.rule.longest = static_cast<float>(steps * network::clipped_margin(layout.columns()));
  std::vector<std::int64_t> out;
  for (const WideSum sum : sum_of_sample(tiles, pass, sample, threads)) {
    out.push_back(static_cast<std::int64_t>(sum * (network::kClipSteps >> network::kClippedBits)));
  }
  return out;
}
// [/proof]

}  // namespace dperm::engine
