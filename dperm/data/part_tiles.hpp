// SPDX-License-Identifier: Apache-2.0
// The rows of one part of a table that lies in parts on several machines: tiles in a file of their own, and what tells
// whether a part that was encoded again is the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dperm/data/tiles/tile_file.hpp"
#include "dperm/data/tiles/tiles.hpp"

struct ArrowArrayStream;

namespace dperm::data {

struct PartTiles {
  std::size_t rows = 0;
  BodyDigest digest{};  // of the encoded rows in their order; computed from records
};

// All records of the stream, possibly none, into a file that its owner alone can read (mode 0600) and that appears when
// it is complete; no file for no records. `name` is kept in the file. Streams and errors as read_stream_tiles. A unit
// of the schema is not regarded: whoever calls sees that there is none.
PartTiles write_part_tiles(ArrowArrayStream* stream, const schema::Encoding& encoding, const std::string& name,
                           const std::string& path, int threads);

// The tiles of a part as they were written under this name. DataError where there is no such file, or another one.
TileSet open_part_tiles(const schema::Encoding& encoding, const std::string& name, const std::string& path,
                        const PartTiles& part);

// The columns of a stream that reading looks at, each once.
std::vector<std::string> part_columns(const schema::Encoding& encoding);

// What such a file says about itself.
TileFileHeader part_header(const schema::Encoding& encoding, const std::string& name);

}  // namespace dperm::data
