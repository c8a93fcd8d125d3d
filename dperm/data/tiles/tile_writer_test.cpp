// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/tiles/tile_writer.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

const char* const kOneReal = "[[column]]\nname='a'\nkind='real'\nlower=0\nupper=1\n";

// Rows 0, 1, 2, ... with the row number as value, added in chunks.
void fill(TileWriter& writer, std::size_t chunk, std::size_t chunks) {
  for (std::size_t k = 0; k < chunks; ++k) {
    const std::size_t first = writer.rows();
    writer.extend(chunk);
    for (std::size_t row = first; row < first + chunk; ++row) {
      const TileWriter::Piece piece = writer.piece(row);
      reinterpret_cast<std::int16_t*>(piece.tile + writer.layout().real_offset(0))[piece.row] =
          static_cast<std::int16_t>(row % 30000);
    }
  }
}

void expect_filled(const TileSet& tiles, std::size_t rows) {
  const std::vector<Row> read = rows_of(tiles);
  ASSERT_EQ(read.size(), rows);
  for (std::size_t r = 0; r < rows; ++r) ASSERT_EQ(read[r][0], static_cast<std::int64_t>(r % 30000));
  const TileView last = tiles.tile(tiles.tile_count() - 1);
  for (std::size_t r = last.rows; r < tiles.layout().height(); ++r) ASSERT_EQ(last.real(tiles.layout(), 0)[r], 0);
}

TEST(TileWriter, MemoryAndFileHoldTheSameRowsForAnyChunks) {
  const TemporaryFolder folder;
  const auto encoding = encoding_of(kOneReal);
  for (const std::size_t chunk : {1u, 63u, 64u, 65u, 1000u}) {
    const TileLayout layout(*encoding, 64);
    TileWriter memory(layout);
    fill(memory, chunk, 7);
    expect_filled(memory.finish(), 7 * chunk);
    TileWriter file(layout, folder.path("t"), TileFileHeader{});
    fill(file, chunk, 7);
    expect_filled(file.finish(), 7 * chunk);
  }
}

TEST(TileWriter, TilesAreAligned) {
  const TemporaryFolder folder;
  const TileLayout layout(*encoding_of(kOneReal), 64);
  TileWriter memory(layout);
  fill(memory, 1000, 1);
  TileWriter file(layout, folder.path("t"), TileFileHeader{});
  fill(file, 1000, 1);
  for (const TileSet& tiles : {memory.finish(), file.finish()}) {
    for (std::size_t t = 0; t < tiles.tile_count(); ++t) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tiles.tile(t).base) % 64, 0u);
    }
  }
}

TEST(TileWriter, TheFileIsForItsOwnerOnlyAndAppearsWhenComplete) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t");
  TileWriter writer(TileLayout(*encoding_of(kOneReal), 64), path, TileFileHeader{});
  fill(writer, 200, 1);
  EXPECT_FALSE(std::filesystem::exists(path));
  writer.finish();
  struct stat facts{};
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(TileWriter, AnAbandonedFileLeavesNothingBehind) {
  const TemporaryFolder folder;
  {
    TileWriter writer(TileLayout(*encoding_of(kOneReal), 64), folder.path("t"), TileFileHeader{});
    fill(writer, 200, 1);
    EXPECT_LE(folder.file_count(), 1u);  // none where the file system makes files without a name
  }
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(TileWriter, AFolderThatCannotBeWrittenIsADataError) {
  EXPECT_THROW(TileWriter(TileLayout(*encoding_of(kOneReal), 64), "/nowhere/t", TileFileHeader{}), DataError);
}

TEST(TileWriter, ATileSetOutlivesItsWriterAndStaysPut) {
  const TileLayout layout(*encoding_of(kOneReal), 64);
  auto writer = std::make_unique<TileWriter>(layout);
  fill(*writer, 100000, 1);
  const std::byte* first = writer->piece(0).tile;
  fill(*writer, 1, 1);
  EXPECT_EQ(writer->piece(0).tile, first);
  const TileSet tiles = writer->finish();
  writer.reset();
  EXPECT_EQ(tiles.tile(0).real(layout, 0)[5], 5);
}

}  // namespace
}  // namespace dperm::data
