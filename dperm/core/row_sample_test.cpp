// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/row_sample.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"

namespace dperm {
namespace {

using Rows = std::vector<std::size_t>;
using Words = std::vector<std::uint64_t>;

Words words_of(const RowSample& sample, std::size_t first, std::size_t count) {
  Words words(RowSample::word_count(count), ~std::uint64_t{0});
  sample.mark(first, count, words);
  return words;
}

TEST(ListedRows, AreMarkedByTheirPlaceInTheRun) {
  const ListedRows sample({0, 3, 63, 64, 130}, 200);
  EXPECT_EQ(words_of(sample, 0, 200), (Words{1 | 8 | std::uint64_t{1} << 63, 1, 4, 0}));
  EXPECT_EQ(words_of(sample, 3, 61), (Words{1 | std::uint64_t{1} << 60})) << "row 64 is beyond the run";
  EXPECT_EQ(words_of(sample, 131, 5), (Words{0}));
  EXPECT_EQ(words_of(sample, 200, 0), Words());
  EXPECT_FALSE(sample.has_all());
  EXPECT_TRUE(ListedRows({0, 1, 2}, 3).has_all());
}

TEST(ListedRows, AreIncreasingNumbersOfTheTable) {
  for (const Rows& bad : {Rows{1, 1}, Rows{2, 1}, Rows{5}, Rows{0, 5}}) {
    EXPECT_THROW(ListedRows(bad, 5), ArgumentError);
  }
}

TEST(PartOfSample, HasNumbersOfItsOwn) {
  const ListedRows whole({0, 3, 63, 64, 130}, 200);
  const PartOfSample part(whole, 60, 80);
  EXPECT_EQ(part.rows(), 80u);
  EXPECT_EQ(rows_in(part, 0, 80), (Rows{3, 4, 70}));
  EXPECT_EQ(rows_in(PartOfSample(part, 4, 10), 0, 10), (Rows{0}));
  EXPECT_THROW(PartOfSample(whole, 150, 51), InternalError);
  EXPECT_THROW(words_of(part, 70, 11), InternalError);
}

TEST(RowSample, RowsAreVisitedInOrderAcrossBlocks) {
  Rows numbers;
  for (std::size_t row = 7; row < 20000; row += 37) numbers.push_back(row);
  EXPECT_EQ(rows_in(ListedRows(numbers, 20000), 0, 20000), numbers);
}

}  // namespace
}  // namespace dperm
