// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/column_groups.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/tile_builder.hpp"

namespace dperm::engine {
namespace {

data::TileLayout layout_of(const std::vector<std::uint32_t>& levels) {
  return data::TileLayout(tests::encoding_for(tests::random_table(0, 2, levels, true, 1)));
}

TEST(ColumnGroups, HoldEveryColumnOnceAndKeepTheLimit) {
  const std::vector<std::uint32_t> levels = {9, 16, 7, 15, 6, 5, 2, 42, 255, 256, 70000, 1, 64, 63};
  const data::TileLayout layout = layout_of(levels);
  const ColumnGroups groups(layout);
  std::set<std::size_t> seen;
  std::size_t cells = 0;
  for (std::size_t g = 0; g < groups.groups().size(); ++g) {
    const ColumnGroup& group = groups.groups()[g];
    EXPECT_EQ(group.width == 1, g < groups.narrow_count());
    EXPECT_EQ(group.first_cell, cells);
    cells += group.cells;
    std::size_t product = 1;
    for (const GroupMember& member : group.members) {
      EXPECT_TRUE(seen.insert(member.category).second);
      EXPECT_EQ(member.levels, levels[member.category]);
      EXPECT_EQ(member.stride, product);
      product *= member.levels + 1;
    }
    EXPECT_EQ(product, group.cells);
    if (group.width == 1) {
      EXPECT_LE(group.cells, kGroupCells);
    } else {
      EXPECT_EQ(group.members.size(), 1u);
    }
  }
  EXPECT_EQ(seen.size(), levels.size());
  EXPECT_EQ(groups.cells(), cells);
}

TEST(ColumnGroups, OfTheCensusAreThree) {
  EXPECT_EQ(ColumnGroups(layout_of({9, 16, 7, 15, 6, 5, 2, 42})).groups().size(), 3u);
}

TEST(ColumnGroups, VisitEachWeightWithTheCellsOfItsCategory) {
  const data::TileLayout layout = layout_of({2, 3});
  const ColumnGroups groups(layout);
  ASSERT_EQ(groups.cells(), 12u);
  std::vector<int> visits(layout.dimension(), 0);
  groups.for_each_weight(layout, [&](std::size_t weight, std::size_t) { ++visits[weight]; });
  EXPECT_EQ(visits, (std::vector<int>{0, 0, 0, 4, 4, 3, 3, 3}));
}

}  // namespace
}  // namespace dperm::engine
