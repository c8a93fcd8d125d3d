// SPDX-License-Identifier: Apache-2.0
// The few chosen rows of many tiles, side by side in one tile of the same layout: a pass over a small sample reads and
// computes little more than the sample. A row's integers do not depend on where it stands, so sums are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"

namespace dperm::engine {

class GatheredRows {
 public:
  explicit GatheredRows(const data::TileLayout& layout);

  std::size_t rows() const { return rows_; }
  bool has_room_for(std::size_t rows) const { return rows <= height_ - rows_; }
  // The rows of the tile whose bits are set; there must be room for them.
  void add(const data::TileView& tile, std::span<const std::uint64_t> words);
  // The rows with these numbers in the tile; there must be room for them.
  void add(const data::TileView& tile, std::span<const std::uint32_t> chosen);
  data::TileView tile() const { return {reinterpret_cast<const std::byte*>(memory_.data()), rows_}; }
  void clear() { rows_ = 0; }

 private:
  struct Column {
    std::size_t offset, width;  // bytes
  };
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  std::size_t height_, rows_ = 0;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> chosen_;
  std::vector<Line> memory_;
};

}  // namespace dperm::engine
