// SPDX-License-Identifier: Apache-2.0
// For tests of the data room: a folder that cleans up after itself, rows decoded back from tiles, refusals as text.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/data/reader.hpp"
#include "dperm/schema/schema.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::data {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dperm_data_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline std::shared_ptr<const schema::Encoding> encoding_of(const std::string& toml) {
  return std::make_shared<schema::Encoding>(schema::parse_schema("version = 1\n" + toml, "schema"));
}

// One row as the integers of the tile: reals, category codes, target.
using Row = std::vector<std::int64_t>;

inline std::uint32_t code_at(const TileView& tile, const TileLayout& layout, std::size_t c, std::size_t row) {
  const std::byte* column = tile.category(layout, c);
  const auto width = static_cast<std::size_t>(layout.category_width(c));
  std::uint32_t code = 0;
  std::memcpy(&code, column + row * width, width);
  return code;
}

inline std::vector<Row> rows_of(const TileSet& tiles) {
  std::vector<Row> rows;
  const TileLayout& layout = tiles.layout();
  for (std::size_t t = 0; t < tiles.tile_count(); ++t) {
    const TileView tile = tiles.tile(t);
    for (std::size_t r = 0; r < tile.rows; ++r) {
      Row row;
      for (std::size_t j = 0; j < layout.real_count(); ++j) row.push_back(tile.real(layout, j)[r]);
      for (std::size_t c = 0; c < layout.category_count(); ++c) row.push_back(code_at(tile, layout, c, r));
      row.push_back(tile.target(layout)[r]);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

inline const TileSet& tiles_of(const EncodedRows& rows) { return SensitiveTestAccess::open(rows.tiles); }

inline std::vector<Row> read_rows(const std::vector<std::string>& paths,
                                  std::shared_ptr<const schema::Encoding> encoding, const ReadOptions& options = {}) {
  return rows_of(tiles_of(read_tiles(paths, std::move(encoding), options)));
}

// What reading says when it refuses; "no error" otherwise.
inline std::string refusal(const std::vector<std::string>& paths, std::shared_ptr<const schema::Encoding> encoding,
                           const ReadOptions& options = {}) {
  try {
    read_tiles(paths, std::move(encoding), options);
  } catch (const DataError& error) {
    return error.what();
  } catch (const ArgumentError& error) {
    return std::string("argument: ") + error.what();
  }
  return "no error";
}

inline testing::AssertionResult mentions(const std::string& message, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) {
    if (message.find(part) == std::string::npos) {
      return testing::AssertionFailure() << "'" << part << "' is not in: " << message;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace dperm::data
