// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dperm/core/error.hpp"
#include "tests/support/tile_builder.hpp"

namespace dperm::engine {
namespace {

const tests::EncodedTable& table() {
  static const tests::EncodedTable made = tests::random_table(1000, 2, {3, 300}, false, 7);
  return made;
}

class Counts : public testing::TestWithParam<std::pair<std::size_t, int>> {
 protected:
  data::TileSet tiles_ = tests::build_tiles(table(), GetParam().first);
  Threads threads_{GetParam().second};
};

TEST_P(Counts, TargetsAreSortedAndSummed) {
  auto expected = table().targets;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_targets(tiles_, threads_), expected);
  std::int64_t sum = 0, clamped = 0;
  for (const std::int32_t target : table().targets) {
    sum += target;
    clamped += std::clamp(target, -1000, 1000);
  }
  EXPECT_EQ(target_sum(tiles_, 1 << 30, threads_), sum);
  EXPECT_EQ(target_sum(tiles_, 1000, threads_), clamped);
}

TEST_P(Counts, EveryRowCountsOnceUnderItsValueAndLabel) {
  LabelCounts reals{std::vector<std::int64_t>(65535, 0), std::vector<std::int64_t>(65535, 0)};
  LabelCounts codes{std::vector<std::int64_t>(301, 0), std::vector<std::int64_t>(301, 0)};
  LabelCounts slants{std::vector<std::int64_t>(9, 0), std::vector<std::int64_t>(9, 0)};
  LabelCounts pairs{std::vector<std::int64_t>(49, 0), std::vector<std::int64_t>(49, 0)};
  for (std::size_t r = 0; r < table().rows(); ++r) {
    const bool positive = table().targets[r] > 0;
    const auto first = static_cast<std::size_t>(table().reals[0][r] + 32767);
    const auto second = static_cast<std::size_t>(table().reals[1][r] + 32767);
    ++(positive ? reals.positive : reals.negative)[second];
    ++(positive ? codes.positive : codes.negative)[table().codes[1][r]];
    const std::size_t slant = (3 * first + 65534 - second) * 9 / (4 * 65534 + 1);
    ++(positive ? slants.positive : slants.negative)[slant];
    ++(positive ? pairs.positive : pairs.negative)[first * 7 / 65535 * 7 + second * 7 / 65535];
  }
  const std::vector<std::int32_t> slant_of{3, -1};
  const auto same = [](const LabelCounts& a, const LabelCounts& b) {
    return a.negative == b.negative && a.positive == b.positive;
  };
  EXPECT_TRUE(same(label_counts(tiles_, RealCells{1}, threads_), reals));
  EXPECT_TRUE(same(label_counts(tiles_, CategoryCells{1}, threads_), codes));
  EXPECT_TRUE(same(label_counts(tiles_, ProjectionCells{slant_of, 9}, threads_), slants));
  EXPECT_TRUE(same(label_counts(tiles_, PairCells{0, 1, 7}, threads_), pairs));
}

TEST_P(Counts, MasksMarkTheRowsAndNothingElse) {
  const RowMask positive = rows_with_positive_label(tiles_, threads_);
  const RowMask second = rows_with_code(tiles_, 0, 2, threads_);
  ASSERT_EQ(positive.size(), 16u);
  for (std::size_t r = 0; r < 1024; ++r) {
    const auto bit = [&](const RowMask& mask) { return (mask[r / 64] >> (r % 64) & 1) != 0; };
    EXPECT_EQ(bit(positive), r < 1000 && table().targets[r] > 0) << r;
    EXPECT_EQ(bit(second), r < 1000 && table().codes[0][r] == 2) << r;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Counts,
                         testing::Values(std::pair{std::size_t{0}, 1}, std::pair{std::size_t{64}, 3},
                                         std::pair{std::size_t{192}, 2}));

TEST(CountsArguments, RefuseColumnsThatAreNotThere) {
  const auto tiles = tests::build_tiles(table());
  EXPECT_THROW(label_counts(tiles, RealCells{2}, {}), ArgumentError);
  EXPECT_THROW(label_counts(tiles, CategoryCells{2}, {}), ArgumentError);
  EXPECT_THROW(label_counts(tiles, PairCells{0, 1, 0}, {}), ArgumentError);
  EXPECT_THROW(rows_with_code(tiles, 9, 0, {}), ArgumentError);
  EXPECT_THROW(target_sum(tiles, -1, {}), ArgumentError);
}

}  // namespace
}  // namespace dperm::engine
