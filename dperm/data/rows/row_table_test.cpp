// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/rows/row_table.hpp"

#include <gtest/gtest.h>

#include "tests/support/engine_reference.hpp"

namespace dperm::network {
namespace {

TEST(RowTable, HoldsTheFeaturesAndTargetOfEveryRow) {
  for (const auto& table : tests::plain_and_curves(tests::random_table(333, 9, {2, 1, 300, 70000, 17}, false, 3))) {
    for (const std::size_t height : {64u, 0u}) {
      const RowTable rows(tests::build_tiles(table, height), {2});
      ASSERT_EQ(rows.rows(), table.rows());
      ASSERT_EQ(rows.format().inputs(), table.dimension());
      std::vector<float> features(table.dimension(), 7.0f);
      for (std::size_t row = 0; row < table.rows(); ++row) {
        rows.format().expand(rows.row(row), features.data());
        ASSERT_EQ(rows.format().target(rows.row(row)), table.targets[row]);
        const auto expected = tests::features(table, row);
        for (std::size_t j = 0; j < features.size(); ++j) {
          ASSERT_NEAR(features[j], static_cast<float>(expected[j]), 1.2e-7f) << "row " << row << " input " << j;
        }
      }
    }
  }
}

TEST(RowTable, TakesNoMoreMemoryThanTheCells) {
  const tests::EncodedTable table = tests::random_table(10, 6, {9, 16, 300}, true, 4);
  EXPECT_EQ(RowTable(tests::build_tiles(table), {1}).format().bytes(), 4u + 12 + 2 + 2);
}

TEST(RowTable, TakesCodesBeyondTheLevelsForNoCategory) {
  tests::EncodedTable table = tests::random_table(2, 0, {3, 1000}, true, 5);
  table.codes = {{255, 3}, {65535, 1000}};
  const RowTable rows(tests::build_tiles(table), {1});
  std::vector<float> features(table.dimension());
  for (std::size_t row = 0; row < 2; ++row) {
    rows.format().expand(rows.row(row), features.data());
    EXPECT_EQ(std::count(features.begin(), features.end(), 0.0f), 1003) << "only the intercept is left";
  }
}

TEST(RowTable, OfNoRowsIsEmpty) {
  EXPECT_EQ(RowTable(tests::build_tiles(tests::random_table(0, 2, {3}, true, 1)), {1}).rows(), 0u);
}

}  // namespace
}  // namespace dperm::network
