// SPDX-License-Identifier: Apache-2.0
// What a curator draws about rows: the laws, and that a witness may have it follow records.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "dperm/core/error.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "tests/support/goodness_of_fit.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::privacy {
namespace {

using Order = std::vector<std::uint32_t>;

TEST(SecretDraws, EveryDivisionIntoBatchesIsEquallyLikely) {
  random::SeededBits bits(31);
  Curator curator(bits);
  std::map<Order, std::uint64_t> counts;
  for (int i = 0; i < 300'000; ++i) ++counts[SensitiveTestAccess::open(curator.draw_batches(5, 2))];
  ASSERT_EQ(counts.size(), 30u);  // 5! / (2! 2! 1!)
  std::vector<testing::Cell> cells, wrong;
  for (const auto& [order, count] : counts) {
    EXPECT_TRUE(order[0] < order[1] && order[2] < order[3]);
    cells.push_back({1.0 / 30, count});
    wrong.push_back({(order[4] == 4 ? 1.08 : 0.98) / 30, count});
  }
  EXPECT_TRUE(testing::test_cells(cells)) << testing::test_cells(cells).text;
  EXPECT_FALSE(testing::test_cells(wrong));
  EXPECT_TRUE(curator.events().empty());
}

TEST(SecretDraws, BatchesAreFreshInEveryFit) {
  random::SecureBits bits;
  Curator curator(bits);
  const auto first = curator.draw_batches(1000, 10), second = curator.draw_batches(1000, 10);
  EXPECT_NE(SensitiveTestAccess::open(first), SensitiveTestAccess::open(second)) << "once in 10^2000 runs they agree";
}

TEST(SecretDraws, RefuseBatchesOfNothing) {
  random::SeededBits bits(1);
  EXPECT_THROW(Curator(bits).draw_batches(5, 0), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
