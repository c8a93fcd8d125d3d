// SPDX-License-Identifier: Apache-2.0
// Runs a function over all tiles on the asked number of threads, each with its own state. Internal to the rooms that
// sum over rows.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>

#include <cstddef>
#include <utility>

#include "dperm/core/fork_join.hpp"
#include "dperm/core/interrupt.hpp"
#include "dperm/data/tiles/arena.hpp"
#include "dperm/data/tiles/tiles.hpp"

namespace dperm::data {

// Calls body(state, tile index, tile, base of the tile to prefetch) for every tile, then merge(state) for every
// thread's state in turn. Which thread sees which tile is unspecified: merging must not depend on it. A caller that
// wants to stop is asked before every tile of the thread that it called from.
template <class Make, class Body, class Merge>
void for_each_tile(const TileSet& tiles, Threads threads, Make&& make, Body&& body, Merge&& merge) {
  tbb::enumerable_thread_specific<decltype(make())> states(std::forward<Make>(make));
  const InterruptCheck check;
  const auto some = [&](const tbb::blocked_range<std::size_t>& range) {
    auto& state = states.local();
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      check();
      const TileView tile = tiles.tile(i);
      body(state, i, tile, i + 1 < tiles.tile_count() ? tiles.tile(i + 1).base : tile.base);
    }
  };
  const ForkJoin loop(some);
  arena_for(threads).execute(
      [&] { tbb::parallel_for(tbb::blocked_range<std::size_t>(0, tiles.tile_count()), loop.task()); });
  loop.join();
  for (auto& state : states) merge(state);
}

}  // namespace dperm::data
