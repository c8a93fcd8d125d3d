// SPDX-License-Identifier: Apache-2.0
// Some of the rows of a tile set.
#pragma once

#include <cstddef>
#include <span>

#include "dperm/data/tiles/tiles.hpp"

namespace dperm::data {

// A copy in memory of these rows (strictly increasing row numbers), in their order. Computed from records: the caller
// keeps it inside Sensitive.
TileSet select_rows(const TileSet& tiles, std::span<const std::size_t> rows);

}  // namespace dperm::data
