// SPDX-License-Identifier: Apache-2.0
// Columnar tiles: a block of rows with each column contiguous. Real columns are int16, category codes 8, 16 or 32
// bits by their number of levels, the target int32. Rows past `rows` in the last tile are zero padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dperm/schema/encoding.hpp"

namespace dperm::data {

// Where each column lies inside a tile. Public: depends on the encoding and the tile height only.
class TileLayout {
 public:
  // height 0: as many rows as keep a tile in half of a 1 MiB L2 cache, a multiple of 64 between 64 and kMaximumHeight.
  explicit TileLayout(const schema::Encoding& encoding, std::size_t height = 0);

  static constexpr std::size_t kMaximumHeight = 4096;  // the engine's 32-bit lanes rely on it

  std::size_t height() const { return height_; }
  std::size_t tile_bytes() const { return tile_bytes_; }
  double bytes_per_row() const;  // payload without padding
  std::size_t real_count() const { return real_offsets_.size(); }
  std::size_t category_count() const { return category_offsets_.size(); }
  std::size_t real_offset(std::size_t j) const { return real_offsets_[j]; }
  std::size_t category_offset(std::size_t c) const { return category_offsets_[c]; }
  int category_width(std::size_t c) const { return category_widths_[c]; }  // 1, 2 or 4 bytes
  std::uint32_t category_levels(std::size_t c) const { return category_levels_[c]; }
  std::size_t category_first_weight(std::size_t c) const { return category_first_weights_[c]; }
  std::size_t real_weight(std::size_t j) const { return reals_[j].weight; }  // kNoWeight: steps have no linear term
  const schema::RealCode& real_code(std::size_t j) const { return reals_[j]; }
  std::span<const std::size_t> curves() const { return curves_; }  // real columns with pieces
  std::span<const schema::PairCode> pairs() const { return pairs_; }
  std::size_t target_offset() const { return target_offset_; }
  std::size_t dimension() const { return dimension_; }
  std::size_t columns() const { return columns_; }  // with the intercept

 private:
  std::size_t height_, tile_bytes_, target_offset_, dimension_, columns_;
  std::vector<schema::RealCode> reals_;
  std::vector<schema::PairCode> pairs_;
  std::vector<std::size_t> real_offsets_, curves_, category_offsets_, category_first_weights_;
  std::vector<int> category_widths_;
  std::vector<std::uint32_t> category_levels_;
};

// One tile, read only. Pointers are 64-byte aligned.
struct TileView {
  const std::byte* base;
  std::size_t rows;  // 1..height
  const std::int16_t* real(const TileLayout& layout, std::size_t j) const {
    return reinterpret_cast<const std::int16_t*>(base + layout.real_offset(j));
  }
  const std::byte* category(const TileLayout& layout, std::size_t c) const { return base + layout.category_offset(c); }
  std::uint32_t code(const TileLayout& layout, std::size_t c, std::size_t row) const {
    const auto width = static_cast<std::size_t>(layout.category_width(c));
    std::uint32_t code = 0;
    std::memcpy(&code, category(layout, c) + row * width, width);
    return code;
  }
  const std::int32_t* target(const TileLayout& layout) const {
    return reinterpret_cast<const std::int32_t*>(base + layout.target_offset());
  }
};

// All rows of a dataset, immutable, in memory or mapped from a file.
class TileSet {
 public:
  class Storage;  // owns the memory or the mapping
  TileSet(TileLayout layout, std::size_t rows, std::shared_ptr<const Storage> storage);

  const TileLayout& layout() const { return layout_; }
  std::size_t rows() const { return rows_; }
  std::size_t tile_count() const;
  TileView tile(std::size_t index) const;
  // The same cells, read as features by another encoding of the same columns: shapes and pairs may differ.
  TileSet read_as(const schema::Encoding& encoding) const;

 private:
  TileLayout layout_;
  std::size_t rows_;
  std::shared_ptr<const Storage> storage_;
};

}  // namespace dperm::data
