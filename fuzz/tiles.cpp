// SPDX-License-Identifier: Apache-2.0
// A file of tiles: used if it is exactly what was written, refused or made anew otherwise. The input is a file, or
// (first byte odd) changes of a good one: three bytes each, place and bits to flip.
#include <filesystem>

#include "dperm/core/whole_file.hpp"
#include "dperm/data/tiles/tile_file.hpp"
#include "dperm/data/tiles/tile_writer.hpp"
#include "fuzz/tables.hpp"

namespace {

using namespace dperm;

std::string good_file(const schema::Encoding& encoding, const data::TileLayout& layout) {
  data::TileFileHeader header;
  header.schema = data::schema_hash(encoding.schema());
  header.tile_height = layout.height();
  const std::string path =
      (std::filesystem::temp_directory_path() / ("dperm_fuzz_" + std::to_string(getpid()))).string();
  data::TileWriter writer(layout, path, header);
  writer.extend(100);
  for (std::size_t row = 0; row < 100; row += 64) {
    const data::TileWriter::Piece piece = writer.piece(row);
    for (std::size_t r = 0; r < std::min<std::size_t>(64, 100 - row); ++r) {
      reinterpret_cast<std::int32_t*>(piece.tile + layout.target_offset())[r] = r % 2 == 0 ? 1 : -1;
    }
  }
  writer.finish();
  std::string bytes = whole_file(path);
  std::filesystem::remove(path);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto encoding = fuzz::table("");
  static const data::TileLayout layout(*encoding, 64);
  static const std::string good = good_file(*encoding, layout);
  if (size == 0) return 0;
  std::string bytes = good;
  if (data[0] % 2 == 0) bytes = fuzz::text_of(data + 1, size - 1);
  for (std::size_t i = 1; data[0] % 2 == 1 && i + 2 < size; i += 3) {
    const std::size_t at = (data[i] + std::size_t{256} * data[i + 1]) % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ data[i + 2]);
  }
  data::TileFileHeader expected;
  expected.schema = data::schema_hash(encoding->schema());
  expected.tile_height = layout.height();
  const fuzz::MemoryFile file(bytes);
  bool used = false;
  fuzz::accepted([&] { used = data::open_tile_file(file.path(), *encoding, layout, expected).has_value(); });
  fuzz::require_that(used == (bytes == good));
  return 0;
}
