// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/subset.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "dperm/core/error.hpp"
#include "tests/support/goodness_of_fit.hpp"
#include "tests/support/scripted_bits.hpp"

namespace dperm::random {
namespace {

using testing::Cell;
using testing::ScriptedBits;
using testing::test_cells;
using testing::test_event;

// Numbers 0, 1, 2: all eight sets have their product probabilities, so coins are independent as well as right.
TEST(Subset, PoissonSetsHaveTheirProbabilities) {
  constexpr std::uint64_t kTrials = 400'000;
  for (const double rate : {0.01, 0.3, 0.5, 0.9375}) {
    SeededBits bits(17);
    std::vector<Cell> cells(8), wrong(8);
    for (unsigned set = 0; set < 8; ++set) {
      const int size = std::popcount(set);
      cells[set].probability = std::pow(rate, size) * std::pow(1 - rate, 3 - size);
      wrong[set].probability = std::pow(rate * 0.96, size) * std::pow(1 - rate * 0.96, 3 - size);
    }
    for (std::uint64_t i = 0; i < kTrials; ++i) {
      unsigned set = 0;
      for (const std::size_t number : poisson_subset(bits, 3, rate)) set |= 1u << number;
      ++cells.at(set).observed;
      ++wrong.at(set).observed;
    }
    EXPECT_TRUE(test_cells(cells)) << test_cells(cells).text;
    if (rate > 0.1) {
      EXPECT_FALSE(test_cells(wrong));
    }
  }
}

TEST(Subset, EveryNumberIsAsLikelyAsEveryOtherWhateverTheCount) {
  for (const std::size_t count : {1u, 63u, 64u, 65u, 200u}) {
    SeededBits bits(count);
    std::vector<std::uint64_t> hits(count);
    constexpr std::uint64_t kTrials = 20'000;
    for (std::uint64_t i = 0; i < kTrials; ++i) {
      for (const std::size_t number : poisson_subset(bits, count, 0.2)) ++hits.at(number);
    }
    for (const std::uint64_t each : hits) EXPECT_TRUE(test_event(each, kTrials, 0.2));
  }
}

// 5/8 = 0.101 in binary. The lowest bits of the words are the digits of number 0's uniform.
TEST(Subset, TheDigitsOfTheRateDecide) {
  const auto takes = [](std::vector<std::uint64_t> lowest_digits) {
    for (auto& digit : lowest_digits) digit |= ~std::uint64_t{1};  // digits 1: all others are decided late
    ScriptedBits bits(lowest_digits);
    return poisson_subset(bits, 1, 0.625).size();
  };
  EXPECT_EQ(takes({0, 0, 0}), 1u) << "0.000 is below 0.101";
  EXPECT_EQ(takes({0, 1, 1}), 1u) << "0.011";
  EXPECT_EQ(takes({1, 0, 0}), 1u) << "0.100";
  EXPECT_EQ(takes({1, 0, 1}), 0u) << "0.101 is not below itself";
  EXPECT_EQ(takes({1, 1, 0}), 0u) << "0.110";
}

// The smallest rate is 2^-1074: only 1074 zeros in a row would choose a number.
TEST(Subset, TinyRatesAreNotRoundedToZero) {
  ScriptedBits zeros(std::vector<std::uint64_t>(1074, 0));
  EXPECT_EQ(poisson_subset(zeros, 2, std::numeric_limits<double>::denorm_min()).size(), 2u);
  EXPECT_EQ(zeros.used(), 1074u);
  std::vector<std::uint64_t> last(1074, 0);
  last.back() = ~std::uint64_t{0};
  ScriptedBits above(last);
  EXPECT_TRUE(poisson_subset(above, 2, std::numeric_limits<double>::denorm_min()).empty());
}

TEST(Subset, NobodyAndEverybody) {
  SeededBits bits(1);
  EXPECT_TRUE(poisson_subset(bits, 1000, 0).empty());
  EXPECT_EQ(poisson_subset(bits, 1000, 1).size(), 1000u);
  EXPECT_TRUE(poisson_subset(bits, 0, 0.5).empty());
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
  for (const auto& numbers : {poisson_subset(bits, 5000, 0.3), fixed_subset(bits, 5000, 1200)}) {
    for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_LT(numbers[i - 1], numbers[i]);
  }
}

TEST(Subset, RefusesWhatIsNoRateAndSamplesThatAreTooLarge) {
  SeededBits bits(1);
  EXPECT_THROW(poisson_subset(bits, 5, -0.1), ArgumentError);
  EXPECT_THROW(poisson_subset(bits, 5, 1.1), ArgumentError);
  EXPECT_THROW(poisson_subset(bits, 5, std::nan("")), ArgumentError);
  EXPECT_THROW(fixed_subset(bits, 5, 6), ArgumentError);
}

}  // namespace
}  // namespace dperm::random
