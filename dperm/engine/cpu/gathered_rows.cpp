// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/gathered_rows.hpp"

#include <bit>
#include <cstring>

#include "dperm/core/check.hpp"

namespace dperm::engine {

namespace {

template <std::size_t kWidth>
void copy_cells(const std::byte* from, std::byte* to, std::span<const std::uint32_t> chosen) {
  for (const std::uint32_t row : chosen) {
    std::memcpy(to, from + kWidth * row, kWidth);
    to += kWidth;
  }
}

}  // namespace

GatheredRows::GatheredRows(const data::TileLayout& layout)
    : height_(layout.height()), memory_((layout.tile_bytes() + sizeof(Line) - 1) / sizeof(Line)) {
  columns_.push_back({layout.target_offset(), sizeof(std::int32_t)});
  for (std::size_t j = 0; j < layout.real_count(); ++j) columns_.push_back({layout.real_offset(j), 2});
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    columns_.push_back({layout.category_offset(c), static_cast<std::size_t>(layout.category_width(c))});
  }
}

// [proof engine_clipped.gather]
void GatheredRows::add(const data::TileView& tile, std::span<const std::uint64_t> words) {
  chosen_.clear();
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t left = words[w]; left != 0; left &= left - 1) {
      chosen_.push_back(static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(left))));
    }
  }
  add(tile, chosen_);
}

void GatheredRows::add(const data::TileView& tile, std::span<const std::uint32_t> chosen) {
  ensure(has_room_for(chosen.size()), "more rows were gathered than a tile holds");
  auto* memory = reinterpret_cast<std::byte*>(memory_.data());
  for (const Column& column : columns_) {
    const std::byte* from = tile.base + column.offset;
    std::byte* to = memory + column.offset + rows_ * column.width;
    if (column.width == 1) copy_cells<1>(from, to, chosen);
    if (column.width == 2) copy_cells<2>(from, to, chosen);
    if (column.width == 4) copy_cells<4>(from, to, chosen);
  }
  rows_ += chosen.size();
}
// [/proof]

}  // namespace dperm::engine
