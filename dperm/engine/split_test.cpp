// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dperm/core/error.hpp"
#include "tests/support/open_sensitive.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::data {
namespace {

using Numbers = std::vector<std::size_t>;

// Row i has target i.
Dataset numbered(std::size_t rows) {
  tests::EncodedTable table = tests::random_table(rows, 1, {2}, true, 3);
  std::iota(table.targets.begin(), table.targets.end(), 0);
  return tests::dataset_of(table, 64);
}

void expect_rows(const Dataset& part, const Numbers& rows) {
  ASSERT_EQ(part.rows(), rows.size());
  const engine::RowSums& sums = SensitiveTestAccess::open(part.sums());
  ASSERT_EQ(sums.rows(), rows.size());
  EXPECT_EQ(sums.sorted_targets({1}), std::vector<std::int32_t>(rows.begin(), rows.end()));
}

TEST(Split, EveryRowIsInExactlyOnePart) {
  const Dataset all = numbered(500);
  for (const Numbers& chosen : {Numbers{0}, Numbers{499}, Numbers{3, 64, 65, 127, 128, 499}}) {
    const Split parts = split(all, Sensitive<Numbers>(chosen), chosen.size());
    Numbers others;
    for (std::size_t row = 0; row < 500; ++row) {
      if (std::find(chosen.begin(), chosen.end(), row) == chosen.end()) others.push_back(row);
    }
    expect_rows(parts.chosen, chosen);
    expect_rows(parts.rest, others);
  }
}

TEST(Split, BothPartsNeedARowAndNumbersAreIncreasing) {
  const Dataset all = numbered(10);
  EXPECT_THROW(split(all, Sensitive<Numbers>(Numbers{}), 0), ArgumentError);
  EXPECT_THROW(split(all, Sensitive<Numbers>(Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), 10), ArgumentError);
  EXPECT_THROW(split(all, Sensitive<Numbers>(Numbers{1, 2, 3}), 2), InternalError);
  EXPECT_THROW(split(all, Sensitive<Numbers>(Numbers{2, 1}), 2), InternalError);
  EXPECT_THROW(split(all, Sensitive<Numbers>(Numbers{1, 1}), 2), InternalError);
  EXPECT_THROW(split(all, Sensitive<Numbers>(Numbers{1, 10}), 2), InternalError);
}

}  // namespace
}  // namespace dperm::data
