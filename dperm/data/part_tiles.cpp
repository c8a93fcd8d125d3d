// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/part_tiles.hpp"

#include <fmt/format.h>

#include "dperm/core/error.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/data/tiles/tile_writer.hpp"

namespace dperm::data {

TileFileHeader part_header(const schema::Encoding& encoding, const std::string& name) {
  TileFileHeader header;
  header.schema = schema_hash(encoding.schema());
  header.tile_height = TileLayout(encoding).height();
  header.sources = {{name, 0, 0, 0, 0}};
  return header;
}

std::vector<std::string> part_columns(const schema::Encoding& encoding) {
  std::vector<std::string> names;
  const ColumnSet columns(encoding);
  for (const WantedColumn& column : columns.wanted()) names.push_back(column.name);
  return names;
}

TileSet open_part_tiles(const schema::Encoding& encoding, const std::string& name, const std::string& path,
                        const PartTiles& part) {
  const TileLayout layout(encoding);
  if (part.rows == 0) return TileWriter(layout).finish();
  std::optional<TileSet> found = open_tile_file(path, encoding, layout, part_header(encoding, name), &part.digest);
  if (!found || found->rows() != part.rows) {
    throw DataError(fmt::format("{}: the tiles of this part are not there any more", path));
  }
  return *std::move(found);
}

}  // namespace dperm::data
