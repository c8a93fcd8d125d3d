// SPDX-License-Identifier: Apache-2.0
// Exact counts over rows: integers that do not depend on threads, tile height or row order. Everything returned is
// computed from records: the caller keeps it inside Sensitive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/cpu/sums.hpp"

namespace dperm::engine {

// All encoded targets in increasing order.
std::vector<std::int32_t> sorted_targets(const data::TileSet& tiles, Threads threads);

// The sum of all encoded targets, each clamped to [-limit, limit]; 0 <= limit < 2^31, at most 2^31 rows.
std::int64_t target_sum(const data::TileSet& tiles, std::int32_t limit, Threads threads);

// Rows by value, apart by label (target > 0 is positive).
struct LabelCounts {
  std::vector<std::int64_t> negative;
  std::vector<std::int64_t> positive;
};

// Cell i counts q = i - 32767; 65535 cells.
LabelCounts label_counts_of_real(const data::TileSet& tiles, std::size_t real, Threads threads);
// Cell i counts code i; levels + 1 cells, the last for rows without a category.
LabelCounts label_counts_of_category(const data::TileSet& tiles, std::size_t category, Threads threads);
// Two real columns, each cut into `parts` (1 to 1024) equal parts of its range: cell a * parts + b counts rows with the
// first in part a and the second in part b, where q is in part floor((q + 32767) parts / 65535).
LabelCounts label_counts_of_pair(const data::TileSet& tiles, std::size_t first, std::size_t second, std::size_t parts,
                                 Threads threads);
// The integers sum_j coefficients[j] q_j over all real columns, their range [-S, S], S = 32767 sum |coefficients|, cut
// into `parts` (1 to 2^20): z is in part floor((z + S) parts / (2 S + 1)). Coefficients up to 2^15 in size.
LabelCounts label_counts_of_projection(const data::TileSet& tiles, std::span<const std::int32_t> coefficients,
                                       std::size_t parts, Threads threads);

// Bit r of the mask is row r; bits past the rows are 0.
using RowMask = std::vector<std::uint64_t>;
RowMask rows_with_positive_label(const data::TileSet& tiles, Threads threads);
RowMask rows_with_code(const data::TileSet& tiles, std::size_t category, std::uint32_t code, Threads threads);

}  // namespace dperm::engine
