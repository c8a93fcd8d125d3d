// SPDX-License-Identifier: Apache-2.0
// Encoded rows stored row by row, so that a few of them anywhere can be read without touching the rest of their tile.
// Takes as much memory as the tiles. Computed from records: the caller keeps it inside Sensitive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/data/tiles/tiles.hpp"

namespace dperm::network {

// A row as bytes: the target, the integers of the real columns, the codes.
class RowFormat {
 public:
  explicit RowFormat(const data::TileLayout& layout);

  std::size_t inputs() const { return inputs_; }
  std::size_t bytes() const { return bytes_; }

  // Rows [first, first + count) of a tile, one after the other.
  void collect(const data::TileView& tile, std::size_t first, std::size_t count, std::byte* out) const;
  // The unscaled features of a row, one per input: 1 for the intercept, q / 32767 for a real column, the shares of the
  // knots next to it, 1 for the category it has and 0 for the others. Any bytes are well: codes beyond the levels are
  // no category.
  void expand(const std::byte* row, float* features) const;
  std::int32_t target(const std::byte* row) const;

 private:
  struct Run {  // real columns next to each other in both orders
    std::size_t first_real, first_input, count;
  };
  struct Code {
    std::size_t byte, width, first_input;
    std::uint32_t levels;
  };
  data::TileLayout layout_;
  std::size_t inputs_, bytes_;
  std::vector<Run> runs_;
  std::vector<Code> codes_;
};

class RowTable {
 public:
  RowTable(const data::TileSet& tiles, Threads threads);

  const RowFormat& format() const { return format_; }
  std::size_t rows() const { return rows_; }
  const std::byte* row(std::size_t index) const { return data_.data() + index * format_.bytes(); }

 private:
  RowFormat format_;
  std::size_t rows_;
  std::vector<std::byte> data_;
};

}  // namespace dperm::network
