// SPDX-License-Identifier: Apache-2.0
// What records become, for tests: the integers of every row that a stream or files encode to, through the library's own
// readers. The product has no door that shows them. Plain C functions, so that a test calls them from Python beside the
// package.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "dperm/data/part_tiles.hpp"
#include "dperm/data/stream.hpp"
#include "tests/neighbours/seen.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::neighbours {

namespace {

// In schema order, whatever the order of the tiles.
void fill_codes(Seen& seen, const data::TileSet& tiles, const data::FilledRows* filled) {
  const schema::Encoding& encoding = *seen.encoding;
  const data::TileLayout& layout = tiles.layout();
  const std::size_t columns = encoding.schema().columns.size();
  seen.width = columns + 1;
  seen.codes.assign(seen.rows * seen.width, kBlank);
  std::size_t stored = 0;
  for (std::size_t t = 0; t < tiles.tile_count(); ++t) {
    const data::TileView tile = tiles.tile(t);
    for (std::size_t r = 0; r < tile.rows; ++r, ++stored) {
      const std::size_t row = filled == nullptr ? stored : filled->row_of(stored);
      std::int32_t* const out = seen.codes.data() + row * seen.width;
      for (std::size_t j = 0; j < encoding.reals().size(); ++j)
        out[encoding.reals()[j].column] = tile.real(layout, j)[r];
      for (std::size_t c = 0; c < encoding.categories().size(); ++c) {
        out[encoding.categories()[c].column] = static_cast<std::int32_t>(tile.code(layout, c, r));
      }
      out[columns] = tile.target(layout)[r];
    }
  }
}

template <class Read>
Seen* seen(const char* toml, Read read) {
  auto made = std::make_unique<Seen>();
  try {
    made->encoding = std::make_shared<const schema::Encoding>(schema::parse_schema(toml, "schema"));
    read(*made);
  } catch (const std::exception& error) {
    made->error = error.what();
    if (made->error.empty()) made->error = "failed";
  }
  return made.release();
}

void keep(Seen& seen, const data::EncodedRows& rows, const data::ReadOptions& options) {
  seen.rows = rows.rows;
  fill_codes(seen, SensitiveTestAccess::open(rows.tiles), SensitiveTestAccess::open(rows.filled).get());
  seen.dataset.emplace(seen.encoding, rows, options);
}

data::ReadOptions options_of(std::size_t tile_height, int threads, bool target_required) {
  data::ReadOptions options;
  options.tile_height = tile_height;
  options.threads = threads;
  options.target_required = target_required;
  options.by_unit = target_required;
  return options;
}

}  // namespace

extern "C" {

Seen* neighbours_stream(ArrowArrayStream* stream, const char* toml, std::size_t tile_height, int threads,
                        bool target_required) {
  return seen(toml, [&](Seen& made) {
    const data::ReadOptions options = options_of(tile_height, threads, target_required);
    keep(made, data::read_stream_tiles(stream, made.encoding, options), options);
  });
}

Seen* neighbours_files(const char* const* paths, std::size_t count, const char* toml, const char* format,
                       std::size_t tile_height, int threads, bool target_required) {
  return seen(toml, [&](Seen& made) {
    data::ReadOptions options = options_of(tile_height, threads, target_required);
    options.format = format;
    const std::vector<std::string> files(paths, paths + count);
    keep(made, data::read_tiles(files, made.encoding, options), options);
  });
}

// A part of a table that lies on several machines, as it was written there.
Seen* neighbours_part(const char* path, const char* name, const char* toml) {
  return seen(toml, [&](Seen& made) {
    const data::TileLayout layout(*made.encoding);
    const auto tiles = data::open_tile_file(path, *made.encoding, layout, data::part_header(*made.encoding, name));
    if (!tiles) return;
    made.rows = tiles->rows();
    fill_codes(made, *tiles, nullptr);
  });
}

const char* neighbours_error(const Seen* seen) { return seen->error.c_str(); }
std::size_t neighbours_rows(const Seen* seen) { return seen->rows; }
std::size_t neighbours_width(const Seen* seen) { return seen->width; }
const std::int32_t* neighbours_codes(const Seen* seen) { return seen->codes.data(); }
void neighbours_free(Seen* seen) { delete seen; }
}

}  // namespace dperm::neighbours
