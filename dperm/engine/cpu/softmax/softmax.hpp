// SPDX-License-Identifier: Apache-2.0
// Exact sums over rows for softmax regression: one score per class, integers that do not depend on threads, vector
// width, tile height or the order of the rows. engine/queries.hpp says what is summed. Proof note: softmax.md.
#pragma once

#include "dperm/core/threads.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/queries.hpp"

namespace dperm::engine {

// With S = steps; rows * steps is at most 2^62.
SoftmaxSums softmax_total(const data::TileSet& tiles, const SoftmaxQuery& query, double steps, Threads threads);

}  // namespace dperm::engine
