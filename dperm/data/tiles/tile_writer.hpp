// SPDX-License-Identifier: Apache-2.0
// Fills tiles row range by row range, in memory or into a file that appears under its name only when complete. Holds no
// more than the tiles (in memory) or the tiles of one row range (file).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dperm/core/new_file.hpp"
#include "dperm/data/tiles/file_handle.hpp"
#include "dperm/data/tiles/storage.hpp"
#include "dperm/data/tiles/tile_file.hpp"
#include "dperm/data/tiles/tiles.hpp"

namespace dperm::data {

class TileWriter {
 public:
  explicit TileWriter(TileLayout layout);  // in memory
  // In a file that gets its name when it is finished, readable by the owner only (dperm/core/new_file.hpp).
  // `header.rows` is filled in at the end.
  TileWriter(TileLayout layout, std::string path, TileFileHeader header);
  TileWriter(const TileWriter&) = delete;
  TileWriter& operator=(const TileWriter&) = delete;

  const TileLayout& layout() const { return layout_; }
  std::size_t rows() const { return rows_; }

  // Adds rows, zero until written. Earlier rows may no longer be written.
  void extend(std::size_t rows);

  // The part of the tile around `row`, which must be among those added last. Any thread may call it.
  struct Piece {
    std::byte* tile;
    std::size_t row;    // inside the tile
    std::size_t count;  // rows from there to the end of the tile
  };
  Piece piece(std::size_t row) const;

  // The finished set. No further call is allowed.
  TileSet finish(bool has_target = true);
  // Of a finished file.
  const TileFileHeader& header() const { return header_; }

 private:
  void flush(std::size_t tiles);
  bool publish();
  [[noreturn]] void write_failed() const;

  TileLayout layout_;
  std::size_t rows_ = 0;
  std::shared_ptr<MemoryStorage> memory_;  // in memory

  std::string path_;  // file
  TileFileHeader header_;
  NewFile new_file_;
  FileHandle file_;
  TileDigest digest_;
  std::size_t header_length_ = 0;
  std::size_t first_tile_ = 0;  // of window_
  std::vector<Mapping> window_, spare_;
};

}  // namespace dperm::data
