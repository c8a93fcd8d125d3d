// SPDX-License-Identifier: Apache-2.0
// The tile file: a header that says what the tiles were made from, then the tiles. A file that is not exactly as this
// program wrote it is refused before anything relies on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"

namespace dperm::data {

// A file the tiles were read from. Size and time together tell whether it is still the same.
struct SourceFile {
  std::string path;  // absolute
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const SourceFile&) const = default;
};

using SchemaHash = std::array<unsigned char, 32>;
SchemaHash schema_hash(const schema::Schema& schema);

struct TileFileHeader {
  SchemaHash schema{};
  std::uint64_t tile_height = 0;
  std::uint64_t rows = 0;
  bool has_target = true;  // false: the sources lack the target column, all targets are encoded as missing
  std::vector<SourceFile> sources;
  bool operator==(const TileFileHeader&) const = default;
};

// The header as bytes, padded to whole pages; its length does not depend on `rows`.
std::vector<std::byte> header_bytes(const TileFileHeader& header);

// The tiles at `path` when they were made from exactly this (`expected.rows` is not compared), nothing when there is no
// such file or it was made from something else. DataError when the file is foreign, damaged or unreadable.
std::optional<TileSet> open_tile_file(const std::string& path, const schema::Encoding& encoding,
                                      const TileLayout& layout, const TileFileHeader& expected);

// True when every cell is one the encoding can produce and the padding is zero: what kernels and proofs rely on.
bool tiles_are_valid(const TileSet& tiles, const schema::Encoding& encoding);

}  // namespace dperm::data
