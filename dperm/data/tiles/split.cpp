// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/tiles/split.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "dperm/core/check.hpp"
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

TileSet copy_rows(const TileSet& tiles, std::span<const std::size_t> rows) {
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

std::vector<std::size_t> all_others(std::span<const std::size_t> chosen, std::size_t rows) {
  std::vector<std::size_t> others;
  others.reserve(rows - chosen.size());
  std::size_t next = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (next < chosen.size() && chosen[next] == row) {
      ++next;
    } else {
      others.push_back(row);
    }
  }
  return others;
}

}  // namespace

Split split(const Dataset& dataset, const Sensitive<std::vector<std::size_t>>& chosen, std::size_t size) {
  const std::size_t rows = dataset.rows();
  require(size >= 1 && size < rows, "a split needs at least one row in either part");
  const auto part = [&](bool wanted, std::size_t expected) {
    auto tiles = dataset.tiles().with(chosen, [&](const TileSet& all, const std::vector<std::size_t>& numbers) {
      ensure(numbers.size() == size && numbers.back() < rows &&
                 std::ranges::adjacent_find(numbers, std::greater_equal<>()) == numbers.end(),
             "a split by other numbers than strictly increasing row numbers");
      return copy_rows(all, wanted ? numbers : all_others(numbers, rows));
    });
    return Dataset(dataset.shared_encoding(), expected, std::move(tiles));
  };
  return {part(true, size), part(false, rows - size)};
}

}  // namespace dperm::data
