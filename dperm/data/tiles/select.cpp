// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/tiles/select.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "dperm/data/tiles/tile_writer.hpp"

namespace dperm::data {

namespace {

struct Column {
  std::size_t offset, width;  // bytes
};

std::vector<Column> columns_of(const TileLayout& layout) {
  std::vector<Column> columns = {{layout.target_offset(), sizeof(std::int32_t)}};
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    columns.push_back({layout.real_offset(j), sizeof(std::int16_t)});
  }
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    columns.push_back({layout.category_offset(c), static_cast<std::size_t>(layout.category_width(c))});
  }
  return columns;
}

}  // namespace

TileSet select_rows(const TileSet& tiles, std::span<const std::size_t> rows) {
  const TileLayout& layout = tiles.layout();
  const std::vector<Column> columns = columns_of(layout);
  TileWriter writer(layout);
  writer.extend(rows.size());
  for (std::size_t first = 0; first < rows.size();) {
    const TileWriter::Piece piece = writer.piece(first);
    const std::size_t count = std::min(piece.count, rows.size() - first);
    for (const auto& [offset, width] : columns) {
      std::byte* to = piece.tile + offset + piece.row * width;
      for (const std::size_t row : rows.subspan(first, count)) {
        const std::byte* from = tiles.tile(row / layout.height()).base;
        std::memcpy(to, from + offset + row % layout.height() * width, width);
        to += width;
      }
    }
    first += count;
  }
  return writer.finish();
}

}  // namespace dperm::data
