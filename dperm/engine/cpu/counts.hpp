// SPDX-License-Identifier: Apache-2.0
// Exact counts over rows: integers that do not depend on threads, tile height or row order. Everything returned is
// computed from records: the caller keeps it inside Sensitive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/queries.hpp"

namespace dperm::engine {

// All encoded targets in increasing order.
std::vector<std::int32_t> sorted_targets(const data::TileSet& tiles, Threads threads);

// The sum of all encoded targets, each clamped to [-limit, limit]; 0 <= limit < 2^31, at most 2^31 rows.
std::int64_t target_sum(const data::TileSet& tiles, std::int32_t limit, Threads threads);

// engine/queries.hpp says which cell a row counts in.
LabelCounts label_counts(const data::TileSet& tiles, const Cells& cells, Threads threads);

// Bit r of the mask is row r; bits past the rows are 0.
using RowMask = std::vector<std::uint64_t>;
RowMask rows_with_positive_label(const data::TileSet& tiles, Threads threads);
RowMask rows_with_code(const data::TileSet& tiles, std::size_t category, std::uint32_t code, Threads threads);

}  // namespace dperm::engine
