// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/datasets.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::audit {
namespace {

// The same table through the tests' own writer of tiles: equal sums of gradients at weights that tell all features
// apart.
TEST(AuditRows, ADatasetHoldsTheRows) {
  const tests::EncodedTable table = tests::random_table(150, 2, {3, 300}, true, 7);
  const auto encoding = std::make_shared<const schema::Encoding>(tests::encoding_for(table));
  Rows rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    Row& row = rows.emplace_back();
    for (const auto& column : table.reals) row.reals.push_back(column[i]);
    for (const auto& column : table.codes) row.codes.push_back(column[i]);
    row.target = table.targets[i];
    EXPECT_EQ(features(*encoding, row), tests::encoded_row(table, i));
  }
  std::vector<double> weights(encoding->dimension());
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = std::sin(static_cast<double>(j));
  const auto gradient = [&](const data::Dataset& dataset) {
    return SensitiveTestAccess::open(dataset.sums().map([&](const engine::RowSums& sums) {
      return sums.gradient({{.kind = loss::LossKind::logistic}, 1, weights}, engine::Resolution::solver, {1});
    }));
  };
  const data::Dataset made = dataset_of(encoding, rows);
  EXPECT_EQ(made.rows(), 150u);
  EXPECT_EQ(gradient(made), gradient(tests::dataset_of(table)));
}

TEST(AuditRows, MadeUpRowsKeepToTheSchemaAndFollowARule) {
  tests::EncodedTable table = tests::random_table(1, 2, {4}, false, 7);
  table.shapes = {{0, false, true}, {}};
  table.classes = 3;
  const schema::Encoding encoding = tests::encoding_for(table);
  random::SeededBits bits(3);
  std::vector<int> classes(3);
  for (const Row& row : synthetic_rows(encoding, 3000, bits)) {
    EXPECT_GE(row.reals[0], 0);
    EXPECT_GE(row.reals[1], -32767);
    EXPECT_LT(row.codes[0], 4u);
    ++classes.at(static_cast<std::size_t>(row.target));
  }
  for (const int count : classes) EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace dperm::audit
