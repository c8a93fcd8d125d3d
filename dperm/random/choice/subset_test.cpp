// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/subset.hpp"

#include <gtest/gtest.h>

#include <map>

#include "dperm/core/error.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::random {
namespace {

using testing::Cell;
using testing::test_cells;

TEST(Subset, NobodyAndEverybody) {
  SeededBits bits(1);
  EXPECT_TRUE(fixed_subset(bits, 10, 0).empty());
  EXPECT_EQ(fixed_subset(bits, 3, 3), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Subset, SetsOfFixedSizeAreAllEquallyLikely) {
  constexpr std::uint64_t kTrials = 300'000;
  SeededBits bits(23);
  std::map<std::vector<std::size_t>, std::uint64_t> counts;
  for (std::uint64_t i = 0; i < kTrials; ++i) ++counts[fixed_subset(bits, 6, 3)];
  ASSERT_EQ(counts.size(), 20u);
  std::vector<Cell> cells, wrong;
  for (const auto& [set, count] : counts) {
    cells.push_back({1.0 / 20, count});
    wrong.push_back({(set[0] == 0 ? 1.04 : 0.96) / 20, count});
  }
  EXPECT_TRUE(test_cells(cells)) << test_cells(cells).text;
  EXPECT_FALSE(test_cells(wrong));
}

TEST(Subset, NumbersIncrease) {
  SeededBits bits(5);
  const auto numbers = fixed_subset(bits, 5000, 1200);
  for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_LT(numbers[i - 1], numbers[i]);
}

TEST(Subset, RefusesSamplesThatAreTooLarge) {
  SeededBits bits(1);
  EXPECT_THROW(fixed_subset(bits, 5, 6), ArgumentError);
}

}  // namespace
}  // namespace dperm::random
