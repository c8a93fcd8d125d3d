// SPDX-License-Identifier: Apache-2.0
// The tile file: a header that says what the tiles were made from, then the tiles. A file that is not exactly as this
// program wrote it is refused before anything relies on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"

namespace dperm::data {

// A file the tiles were read from. Together these tell whether it is still the same: whoever replaces its content may
// set the time of the last change back, but not the time of that.
struct SourceFile {
  std::string path;  // absolute
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // of the entry: content, name, owner, permissions
  std::uint64_t number = 0;     // of the file in its file system
  bool operator==(const SourceFile&) const = default;
};

using SchemaHash = std::array<unsigned char, 32>;
SchemaHash schema_hash(const schema::Schema& schema);

// What tiles hold, in 32 bytes: any change of one word changes it, any other with all but the probability 2^-64. Not
// against forgers, who could compute it as well: against damage and disk errors.
using BodyDigest = std::array<unsigned char, 32>;
class TileDigest {
 public:
  void add(std::span<const std::byte> tile);  // its length is a multiple of 64
  BodyDigest value() const;

 private:
  std::array<std::uint64_t, 8> lanes_ = {1, 2, 3, 4, 5, 6, 7, 8};
};

struct TileFileHeader {
  SchemaHash schema{};
  std::uint64_t tile_height = 0;
  std::uint64_t rows = 0;
  bool has_target = true;  // false: the sources lack the target column, all targets are encoded as missing
  std::vector<SourceFile> sources;
  BodyDigest body{};
  bool operator==(const TileFileHeader&) const = default;
};

// The header as bytes, padded to whole pages; its length does not depend on `rows`.
std::vector<std::byte> header_bytes(const TileFileHeader& header);

// The tiles at `path` when they were made from exactly this (`expected.rows` and `.body` are not compared), nothing
// when there is no such file or it was made from something else. DataError when the file is foreign, damaged or
// unreadable. With `body`, tiles of another digest are something else too.
std::optional<TileSet> open_tile_file(const std::string& path, const schema::Encoding& encoding,
                                      const TileLayout& layout, const TileFileHeader& expected,
                                      const BodyDigest* body = nullptr);

// True when every cell is one the encoding can produce and the padding is zero: what kernels and proofs rely on.
bool tiles_are_valid(const TileSet& tiles, const schema::Encoding& encoding);

}  // namespace dperm::data
