// SPDX-License-Identifier: Apache-2.0
// The check of a mapped tile: one pass, branch-free per cell so that the compiler vectorises it.
#include <algorithm>
#include <cstring>

#include "dperm/data/tiles/tile_file.hpp"

namespace dperm::data {

namespace {

template <class T>
bool within(const T* cells, std::size_t rows, T lower, T upper) {
  unsigned bad = 0;
  for (std::size_t r = 0; r < rows; ++r) bad |= static_cast<unsigned>(cells[r] < lower) | (cells[r] > upper);
  return bad == 0;
}

bool all_zero(const std::byte* bytes, std::size_t count) {
  return std::all_of(bytes, bytes + count, [](std::byte b) { return b == std::byte{0}; });
}

template <class T>
bool codes_within(const std::byte* column, std::size_t rows, std::uint32_t levels) {
  return within(reinterpret_cast<const T*>(column), rows, T{0}, static_cast<T>(levels));
}

bool category_is_valid(const std::byte* column, std::size_t rows, int width, std::uint32_t levels) {
  if (width == 1) return codes_within<std::uint8_t>(column, rows, levels);
  if (width == 2) return codes_within<std::uint16_t>(column, rows, levels);
  return codes_within<std::uint32_t>(column, rows, levels);
}

bool targets_are_valid(const std::int32_t* cells, std::size_t rows, const schema::Target& target) {
  using schema::TargetKind;
  switch (target.kind) {
    case TargetKind::none:
      return within(cells, rows, 0, 0);
    case TargetKind::real:
      return within(cells, rows, -schema::kTargetOne, schema::kTargetOne);
    case TargetKind::classes:
      return within(cells, rows, 0, static_cast<std::int32_t>(target.values.size()) - 1);
    case TargetKind::binary:
      break;
  }
  return std::all_of(cells, cells + rows, [](std::int32_t y) { return y == 1 || y == -1; });
}

bool tile_is_valid(const TileView& tile, const TileLayout& layout, const schema::Target& target) {
  const std::size_t rows = tile.rows;
  const std::size_t padding = layout.height() - rows;
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    const std::int16_t* cells = tile.real(layout, j);
    constexpr auto kOne = static_cast<std::int16_t>(schema::kRealOne);
    if (!within(cells, rows, static_cast<std::int16_t>(-kOne), kOne)) return false;
    if (!all_zero(reinterpret_cast<const std::byte*>(cells + rows), padding * sizeof *cells)) return false;
  }
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    const std::byte* cells = tile.category(layout, c);
    const auto width = static_cast<std::size_t>(layout.category_width(c));
    if (!category_is_valid(cells, rows, layout.category_width(c), layout.category_levels(c))) return false;
    if (!all_zero(cells + rows * width, padding * width)) return false;
  }
  const std::int32_t* cells = tile.target(layout);
  return targets_are_valid(cells, rows, target) &&
         all_zero(reinterpret_cast<const std::byte*>(cells + rows), padding * sizeof *cells);
}

}  // namespace

bool tiles_are_valid(const TileSet& tiles, const schema::Encoding& encoding) {
  for (std::size_t t = 0; t < tiles.tile_count(); ++t) {
    if (!tile_is_valid(tiles.tile(t), tiles.layout(), encoding.schema().target)) return false;
  }
  return true;
}

}  // namespace dperm::data
