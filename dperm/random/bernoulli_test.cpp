// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/bernoulli.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"
#include "tests/support/goodness_of_fit.hpp"
#include "tests/support/scripted_bits.hpp"

namespace dperm::random {
namespace {

using testing::Cell;
using testing::ScriptedBits;
using testing::test_cells;
using testing::test_event;

constexpr std::uint64_t kTrials = 1'000'000;
constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

template <class Flip>
std::uint64_t count(const Flip& flip, std::uint64_t trials = kTrials) {
  std::uint64_t heads = 0;
  for (std::uint64_t i = 0; i < trials; ++i) heads += flip() ? 1u : 0u;
  return heads;
}

TEST(UniformBelow, HitsEveryValueOfASmallRangeAlike) {
  for (const std::uint64_t bound : {2u, 3u, 7u, 100u}) {
    SeededBits bits(bound);
    std::vector<Cell> cells(bound, Cell{1.0 / static_cast<double>(bound), 0});
    for (std::uint64_t i = 0; i < kTrials; ++i) ++cells.at(uniform_below(bits, bound)).observed;
    EXPECT_TRUE(test_cells(cells)) << test_cells(cells).text;
  }
}

// 3 * 2^62 values: word % bound would give the lowest third twice the chance.
TEST(UniformBelow, IsUnbiasedWhereARemainderIsNot) {
  const std::uint64_t bound = std::uint64_t{3} << 62;
  SeededBits bits(11);
  std::vector<Cell> exact(3, Cell{1.0 / 3, 0});
  std::vector<Cell> remainder = exact;
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    ++exact.at(uniform_below(bits, bound) >> 62).observed;
    const std::uint64_t word = bits.next();
    ++remainder.at((word % bound) >> 62).observed;
  }
  EXPECT_TRUE(test_cells(exact)) << test_cells(exact).text;
  EXPECT_FALSE(test_cells(remainder)) << test_cells(remainder).text;
}

// Without its rejection step the multiplication gives 0 for both words below; the first is one too many.
TEST(UniformBelow, DrawsAgainInTheSurplus) {
  const std::uint64_t bound = 3;  // 2^64 mod 3 = 1: only the word 0 is surplus
  ScriptedBits bits({0, 1});
  EXPECT_EQ(uniform_below(bits, bound), 0u);
  EXPECT_EQ(bits.used(), 2u);
  ScriptedBits last({kLargest});
  EXPECT_EQ(uniform_below(last, bound), 2u);
}

TEST(UniformBelow, OneValueNeedsNoLuckAndNoValueIsRefused) {
  SeededBits bits(1);
  EXPECT_EQ(uniform_below(bits, 1), 0u);
  EXPECT_LT(uniform_below(bits, kLargest), kLargest);
  EXPECT_THROW(uniform_below(bits, 0), ArgumentError);
}

TEST(Bernoulli, HasItsProbability) {
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> ratios{
      {1, 2}, {1, 3}, {999, 1000}, {kLargest / 7, kLargest}, {std::uint64_t{1} << 40, std::uint64_t{1} << 41}};
  for (const auto& [numerator, denominator] : ratios) {
    SeededBits bits(numerator);
    const double probability = static_cast<double>(numerator) / static_cast<double>(denominator);
    const std::uint64_t heads = count([&] { return bernoulli(bits, numerator, denominator); });
    EXPECT_TRUE(test_event(heads, kTrials, probability)) << test_event(heads, kTrials, probability).text;
    EXPECT_FALSE(test_event(heads, kTrials, probability * 0.97));
  }
}

TEST(Bernoulli, CertaintyIsCertain) {
  SeededBits bits(3);
  EXPECT_EQ(count([&] { return bernoulli(bits, 0, 5); }, 1000), 0u);
  EXPECT_EQ(count([&] { return bernoulli(bits, 5, 5); }, 1000), 1000u);
}

TEST(Bernoulli, RefusesWhatIsNoProbability) {
  SeededBits bits(1);
  EXPECT_THROW(bernoulli(bits, 2, 1), ArgumentError);
  EXPECT_THROW(bernoulli(bits, 0, 0), ArgumentError);
  EXPECT_THROW(bernoulli_exp(bits, 1, 0), ArgumentError);
}

TEST(BernoulliExp, HasItsProbability) {
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> exponents{
      {1, 2}, {1, 1}, {3, 2}, {5, 1}, {1, 1000}, {999, 1000}, {kLargest / 3, kLargest}, {kLargest, kLargest / 2}};
  for (const auto& [numerator, denominator] : exponents) {
    SeededBits bits(numerator + denominator);
    const double x = static_cast<double>(numerator) / static_cast<double>(denominator);
    const std::uint64_t heads = count([&] { return bernoulli_exp(bits, numerator, denominator); });
    EXPECT_TRUE(test_event(heads, kTrials, std::exp(-x))) << test_event(heads, kTrials, std::exp(-x)).text;
    if (x > 0.1) {
      EXPECT_FALSE(test_event(heads, kTrials, std::exp(-x * 1.05 - 0.01)));
    }
  }
}

// The alternating series stopped early (1 - x + x^2/2 - x^3/6 in place of e^-x) is off by x^4/24 and must be seen.
TEST(BernoulliExp, IsNotAnEarlyStoppedSeries) {
  SeededBits bits(5);
  const std::uint64_t heads = count([&] { return bernoulli_exp(bits, 1, 1); });
  EXPECT_FALSE(test_event(heads, kTrials, 1.0 - 1 + 0.5 - 1.0 / 6));
  EXPECT_FALSE(test_event(heads, kTrials, 1.0 - 1 + 0.5 - 1.0 / 6 + 1.0 / 24));
}

// Far out in the series a wrong coin is too rare for statistics; a script shows where the k-th coin turns.
TEST(BernoulliExp, TheKthCoinOfTheSeriesHasBiasOneOverK) {
  constexpr std::uint64_t kLittle = std::uint64_t{1} << 40;
  for (std::uint64_t k = 2; k <= 40; ++k) {
    // Exponent 1/2: one coin of bias 1/2 (the word 1 wins it), then one of bias 1/k.
    std::vector<std::uint64_t> words(2 * k - 1, 1);
    const std::uint64_t turn = kLargest / k;
    words.push_back(turn + kLittle);
    ScriptedBits lost(words);
    EXPECT_EQ(bernoulli_exp(lost, 1, 2), k % 2 == 1);
    EXPECT_EQ(lost.used(), words.size());
    words.back() = turn - kLittle;
    words.push_back(kLargest);
    ScriptedBits won(words);
    EXPECT_EQ(bernoulli_exp(won, 1, 2), k % 2 == 0);
    EXPECT_EQ(won.used(), words.size());
  }
}

TEST(BernoulliExp, ZeroIsCertainAndHugeIsHopelessButQuick) {
  SeededBits bits(6);
  EXPECT_EQ(count([&] { return bernoulli_exp(bits, 0, 7); }, 1000), 1000u);
  EXPECT_EQ(count([&] { return bernoulli_exp(bits, kLargest, 1); }, 1000), 0u);
}

}  // namespace
}  // namespace dperm::random
