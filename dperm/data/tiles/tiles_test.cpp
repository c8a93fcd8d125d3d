// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/tiles/tiles.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

std::string category(const std::string& name, std::size_t levels) {
  std::string text = "[[column]]\nname = '" + name + "'\nkind = 'category'\nvalues = [";
  for (std::size_t i = 0; i < levels; ++i) text += "'v" + std::to_string(i) + "',";
  return text + "]\n";
}

TEST(TileLayout, ColumnsAreAlignedAndDoNotOverlap) {
  const auto encoding = encoding_of("[[column]]\nnames = ['a', 'b', 'c']\nkind = 'real'\nlower = 0\nupper = 1\n" +
                                    category("s", 3) + category("m", 300) + "[[column]]\nname='t'\nkind='boolean'\n");
  for (const std::size_t height : {std::size_t{64}, std::size_t{192}, std::size_t{4096}}) {
    const TileLayout layout(*encoding, height);
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    for (std::size_t j = 0; j < 3; ++j) spans.emplace_back(layout.real_offset(j), 2 * height);
    for (std::size_t c = 0; c < 3; ++c) {
      spans.emplace_back(layout.category_offset(c), static_cast<std::size_t>(layout.category_width(c)) * height);
    }
    spans.emplace_back(layout.target_offset(), 4 * height);
    std::size_t end = 0;
    for (const auto& [offset, size] : spans) {
      EXPECT_EQ(offset % 64, 0u);
      EXPECT_EQ(offset, end);
      end = offset + size;
    }
    EXPECT_EQ(layout.tile_bytes(), end);
    EXPECT_EQ(layout.tile_bytes() % 64, 0u);
    EXPECT_EQ(layout.bytes_per_row(), 3 * 2 + 1 + 2 + 1 + 4);
  }
}

TEST(TileLayout, CodesHaveRoomForNoCategory) {
  for (const auto& [levels, width] : {std::pair<std::size_t, int>{255, 1}, {256, 2}, {65535, 2}, {65536, 4}}) {
    const TileLayout layout(*encoding_of(category("c", levels)));
    EXPECT_EQ(layout.category_width(0), width) << levels;
    EXPECT_EQ(layout.category_levels(0), levels);
  }
}

TEST(TileLayout, TheDefaultHeightKeepsATileInHalfTheCache) {
  const TileLayout narrow(*encoding_of("[[column]]\nname='a'\nkind='boolean'\n"));
  EXPECT_EQ(narrow.height(), TileLayout::kMaximumHeight);
  const TileLayout wide(*encoding_of("[[column]]\nrange=[1, 500]\nkind='real'\nlower=0\nupper=1\n"));
  EXPECT_EQ(wide.height() % 64, 0u);
  EXPECT_LE(wide.tile_bytes(), 512u << 10);
  EXPECT_GT(wide.tile_bytes() + 64 * 1004, 512u << 10);
  const TileLayout huge(*encoding_of("[[column]]\nrange=[1, 50000]\nkind='real'\nlower=0\nupper=1\n"));
  EXPECT_EQ(huge.height(), 64u);
}

TEST(TileLayout, RefusesHeightsThatBreakAlignmentOrLanes) {
  const auto encoding = encoding_of("[[column]]\nname='a'\nkind='boolean'\n");
  EXPECT_THROW(TileLayout(*encoding, 100), ArgumentError);
  EXPECT_THROW(TileLayout(*encoding, 8192), ArgumentError);
  EXPECT_NO_THROW(TileLayout(*encoding, 4096));
}

}  // namespace
}  // namespace dperm::data
