// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/permutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "dperm/core/error.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::random {
namespace {

using testing::Cell;
using testing::test_cells;

TEST(Permutation, OrdersAreAllEquallyLikely) {
  constexpr std::uint64_t kTrials = 600'000;
  SeededBits bits(29);
  std::map<std::vector<std::uint32_t>, std::uint64_t> counts;
  for (std::uint64_t i = 0; i < kTrials; ++i) ++counts[permutation(bits, 5)];
  ASSERT_EQ(counts.size(), 120u);
  std::vector<Cell> cells, wrong;
  for (const auto& [order, count] : counts) {
    cells.push_back({1.0 / 120, count});
    wrong.push_back({(order[0] < 2 ? 1.06 : 0.96) / 120, count});
  }
  EXPECT_TRUE(test_cells(cells)) << test_cells(cells).text;
  EXPECT_FALSE(test_cells(wrong));
}

TEST(Permutation, HoldsEachNumberOnce) {
  SeededBits bits(3);
  for (const std::size_t count : {0u, 1u, 2u, 10'000u}) {
    std::vector<std::uint32_t> order = permutation(bits, count);
    ASSERT_EQ(order.size(), count);
    std::ranges::sort(order);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(Permutation, RefusesMoreNumbersThanFit) {
  SeededBits bits(1);
  EXPECT_THROW(permutation(bits, kMostPermuted + 1), ArgumentError);
}

}  // namespace
}  // namespace dperm::random
