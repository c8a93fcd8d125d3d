// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/relabel.hpp"

#include <cstring>

#include "dperm/data/tile_writer.hpp"

namespace dperm::data {

TileSet one_against_rest(const TileSet& tiles, std::int32_t positive) {
  const TileLayout& layout = tiles.layout();
  TileWriter writer(layout);
  writer.extend(tiles.rows());
  for (std::size_t i = 0; i < tiles.tile_count(); ++i) {
    const TileView from = tiles.tile(i);
    std::byte* to = writer.piece(i * layout.height()).tile;
    std::memcpy(to, from.base, layout.tile_bytes());
    const std::int32_t* targets = from.target(layout);
    for (std::size_t r = 0; r < from.rows; ++r) {
      const std::int32_t sign = targets[r] == positive ? 1 : -1;
      std::memcpy(to + layout.target_offset() + r * sizeof(sign), &sign, sizeof(sign));
    }
  }
  return writer.finish();
}

}  // namespace dperm::data
