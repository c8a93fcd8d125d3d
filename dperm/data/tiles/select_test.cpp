// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/tiles/select.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "dperm/data/tiles/tile_writer.hpp"
#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

using Numbers = std::vector<std::size_t>;

// One real, one narrow and one wide category and a target, each a different function of the row.
TileSet numbered(std::size_t rows, std::size_t height) {
  std::string schema =
      "[[column]]\nname='a'\nkind='real'\nlower=0\nupper=1\n[[column]]\nname='s'\nkind='category'\nvalues=['x','y']\n"
      "[[column]]\nname='w'\nkind='category'\nvalues=[";
  for (int i = 0; i < 300; ++i) schema.append("'").append(std::to_string(i)).append("',");
  const auto encoding = encoding_of(schema + "]\n[target]\ncolumn='t'\nkind='real'\nlower=0\nupper=1\n");
  TileWriter writer{TileLayout(*encoding, height)};
  const TileLayout& layout = writer.layout();
  writer.extend(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto piece = writer.piece(row);
    const auto real = static_cast<std::int16_t>(7 * row + 1);
    const auto narrow = static_cast<std::uint8_t>(row % 2);
    const auto wide = static_cast<std::uint16_t>(row % 299 + 1);
    const auto target = static_cast<std::int32_t>(row * 1000 + 5);
    std::memcpy(piece.tile + layout.real_offset(0) + piece.row * 2, &real, 2);
    std::memcpy(piece.tile + layout.category_offset(0) + piece.row, &narrow, 1);
    std::memcpy(piece.tile + layout.category_offset(1) + piece.row * 2, &wide, 2);
    std::memcpy(piece.tile + layout.target_offset() + piece.row * 4, &target, 4);
  }
  return writer.finish();
}

void expect_rows(const TileSet& tiles, const Numbers& rows) {
  const TileLayout& layout = tiles.layout();
  ASSERT_EQ(tiles.rows(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TileView tile = tiles.tile(i / layout.height());
    const std::size_t at = i % layout.height();
    EXPECT_EQ(tile.real(layout, 0)[at], static_cast<std::int16_t>(7 * rows[i] + 1));
    EXPECT_EQ(tile.code(layout, 0, at), rows[i] % 2);
    EXPECT_EQ(tile.code(layout, 1, at), rows[i] % 299 + 1);
    EXPECT_EQ(tile.target(layout)[at], static_cast<std::int32_t>(rows[i] * 1000 + 5));
  }
  // Padding stays zero.
  const TileView last = tiles.tile(tiles.tile_count() - 1);
  for (std::size_t at = last.rows; at < layout.height(); ++at) EXPECT_EQ(last.target(layout)[at], 0);
}

TEST(SelectRows, CopiesWholeRowsInTheirOrder) {
  const TileSet all = numbered(500, 64);
  Numbers everything(500);
  std::iota(everything.begin(), everything.end(), std::size_t{0});
  for (const Numbers& rows : {Numbers{0}, Numbers{499}, Numbers{3, 64, 65, 127, 128, 499}, everything}) {
    expect_rows(select_rows(all, rows), rows);
  }
  EXPECT_EQ(select_rows(all, {}).rows(), 0u);
}

}  // namespace
}  // namespace dperm::data
