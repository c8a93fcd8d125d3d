// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/coin_sample.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::random {
namespace {

using detail::Plane;
using testing::Cell;
using testing::test_cells;
using testing::test_event;
using Rows = std::vector<std::size_t>;

constexpr CoinSample::Key kKey = {0x0123456789abcdef, 2, 3, 0xfedcba9876543210};

Rows all_of(const RowSample& sample) { return rows_in(sample, 0, sample.rows()); }

std::uint64_t word_of(const RowSample& sample, std::size_t first) {
  std::uint64_t word = 0;
  sample.mark(first, 64, std::span(&word, 1));
  return word;
}

// From a ChaCha20 written out in Python from its definition, which gives the standard's test vectors, and uniforms of
// 80 digits compared with the rate as fractions.
TEST(CoinSample, AgreesWithCoinsComputedElsewhere) {
  struct Case {
    double rate;
    std::size_t block, word;
    std::uint64_t coins;
  };
  constexpr std::size_t kFar = std::size_t{1} << 40;
  for (const Case& c : {Case{0.3, 0, 0, 0xb821421088a08a80}, Case{0.3, 0, 63, 0x4a64b280b6600737},
                        Case{0.3, 5, 17, 0x68889d4844148208}, Case{0.3, kFar, 1, 0x4b87e80901409804},
                        Case{0.9375, 0, 0, 0xffffffffffafffbf}, Case{0.9375, 0, 63, 0xdbfffeffffffffff},
                        Case{0.9375, 5, 17, 0xfff9ffffffffff3f}, Case{0.9375, kFar, 1, 0xfff7ef7f7ffdfd7f},
                        Case{0.5, 0, 0, 0xb879f655d9ac8e9d}, Case{0.5, 5, 17, 0x6f889f4e4454ca0c}}) {
    const CoinSample sample(kKey, c.rate, std::size_t{1} << 60);
    EXPECT_EQ(word_of(sample, c.block * CoinSample::kBlockRows + 64 * c.word), c.coins) << c.rate << " " << c.block;
  }
  EXPECT_EQ(all_of(CoinSample(kKey, 0.001, 8192)), (Rows{971, 2032, 2272, 5078, 5467, 5904, 6004, 6668}));
}

// Whoever asks for whichever rows gets the same answer: runs of any length from any row.
TEST(CoinSample, DoesNotDependOnHowTheRowsAreDivided) {
  constexpr std::size_t kRows = 3 * CoinSample::kBlockRows + 777;
  for (const double rate : {0.01, 0.4, 0.75}) {
    const CoinSample sample(kKey, rate, kRows);
    const Rows whole = all_of(sample);
    for (const std::size_t length : {1ul, 63ul, 64ul, 65ul, 1000ul, 4095ul, 4096ul, 4097ul, 10000ul}) {
      Rows joined;
      for (std::size_t first = 0; first < kRows; first += length) {
        const PartOfSample part(sample, first, std::min(length, kRows - first));
        for (const std::size_t row : all_of(part)) joined.push_back(first + row);
        if (length < 60 && first > 9000) break;
      }
      const Rows expected(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(joined.size()));
      EXPECT_EQ(joined, expected) << length;
      EXPECT_TRUE(length < 60 || joined.size() == whole.size());
    }
    const CoinSample longer(kKey, rate, kRows + 5000);
    EXPECT_EQ(rows_in(longer, 0, kRows), whole) << "the number of rows changes nobody's coin";
  }
}

// Rows 0, 4095 and 4096: all eight sets have their product probabilities, so coins are independent as well as right,
// within a block and between blocks.
TEST(CoinSample, SetsHaveTheirProbabilities) {
  constexpr std::uint64_t kTrials = 100'000;
  for (const double rate : {0.3, 0.9375}) {
    SeededBits bits(17);
    std::vector<Cell> cells(8), wrong(8);
    for (unsigned set = 0; set < 8; ++set) {
      const int size = std::popcount(set);
      cells[set].probability = std::pow(rate, size) * std::pow(1 - rate, 3 - size);
      wrong[set].probability = std::pow(rate * 0.96, size) * std::pow(1 - rate * 0.96, 3 - size);
    }
    for (std::uint64_t i = 0; i < kTrials; ++i) {
      const auto sample = draw_sample(bits, 5000, rate);
      const unsigned set =
          static_cast<unsigned>(word_of(*sample, 0) & 1) | static_cast<unsigned>(word_of(*sample, 4095) & 3) << 1;
      ++cells.at(set).observed;
      ++wrong.at(set).observed;
    }
    EXPECT_TRUE(test_cells(cells)) << test_cells(cells).text;
    EXPECT_FALSE(test_cells(wrong));
  }
}

TEST(CoinSample, EveryRowIsAsLikelyAsEveryOther) {
  constexpr std::uint64_t kTrials = 4'000;
  for (const double rate : {0.02, 0.2}) {
    SeededBits bits(5);
    std::vector<std::uint64_t> hits(4200);
    for (std::uint64_t i = 0; i < kTrials; ++i) {
      for_each_row(*draw_sample(bits, hits.size(), rate), 0, hits.size(), [&](std::size_t row) { ++hits[row]; });
    }
    std::uint64_t total = 0;
    for (const std::uint64_t each : hits) {
      EXPECT_TRUE(test_event(each, kTrials, rate));
      total += each;
    }
    EXPECT_TRUE(test_event(total, kTrials * hits.size(), rate));
    EXPECT_FALSE(test_event(total, kTrials * hits.size(), rate * 1.02));
  }
}

// 5/8 = 0.101 in binary. Bit 0 of the first words are the digits of row 0's uniform; all others start with 0.
TEST(Toss, TheDigitsOfTheRateDecide) {
  const auto takes = [](std::vector<std::uint64_t> digits) {
    std::size_t used = 0;
    Plane plane, below;
    detail::toss(
        0.625,
        [&]() -> const Plane& {
          plane.fill(0);
          plane[0] = digits.at(used++);
          return plane;
        },
        below);
    EXPECT_EQ(below[0] | 1, ~std::uint64_t{0});
    EXPECT_EQ(below[63], ~std::uint64_t{0});
    return below[0] & 1;
  };
  EXPECT_EQ(takes({0}), 1u) << "0.0 is below 0.101: nothing more is asked for";
  EXPECT_EQ(takes({1, 0, 0}), 1u) << "0.100";
  EXPECT_EQ(takes({1, 0, 1}), 0u) << "0.101 is not below itself";
  EXPECT_EQ(takes({1, 1}), 0u) << "0.11";
}

// The smallest rate is 2^-1074: only 1074 zeros in a row would choose a row.
TEST(Toss, TinyRatesAreNotRoundedToZero) {
  Plane plane, below;
  std::size_t used = 0;
  const auto play = [&](std::uint64_t last) {
    used = 0;
    detail::toss(
        std::numeric_limits<double>::denorm_min(),
        [&]() -> const Plane& {
          plane.fill(++used == 1074 ? last : 0);
          return plane;
        },
        below);
    return below[7];
  };
  EXPECT_EQ(play(0), ~std::uint64_t{0});
  EXPECT_EQ(used, 1074u);
  EXPECT_EQ(play(2), ~std::uint64_t{2});
}

TEST(CoinSample, NobodyAndEverybodyWithoutABit) {
  SeededBits bits(1), twin(1);
  const auto nobody = draw_sample(bits, 5000, 0), everybody = draw_sample(bits, 5000, 1);
  EXPECT_TRUE(all_of(*nobody).empty());
  EXPECT_EQ(all_of(*everybody).size(), 5000u);
  EXPECT_TRUE(everybody->has_all());
  EXPECT_FALSE(nobody->has_all());
  EXPECT_EQ(bits.next(), twin.next());
  EXPECT_TRUE(all_of(*draw_sample(bits, 0, 0.5)).empty());
}

TEST(CoinSample, KeysAreFresh) {
  SeededBits bits(1);
  const auto first = draw_sample(bits, 1000, 0.5), second = draw_sample(bits, 1000, 0.5);
  EXPECT_NE(all_of(*first), all_of(*second));
}

TEST(CoinSample, BytesCarryIt) {
  SeededBits bits(3);
  const auto coins = draw_sample(bits, 5000, 0.3);
  EXPECT_EQ(bytes_of(*coins).size(), 49u);
  EXPECT_EQ(all_of(*sample_from(bytes_of(*coins))), all_of(*coins));
  const ListedRows listed({1, 5, 99}, 100);
  EXPECT_EQ(all_of(*sample_from(bytes_of(listed))), all_of(listed));
  EXPECT_EQ(sample_from(bytes_of(listed))->rows(), 100u);
  const PartOfSample part(*coins, 4090, 20);
  EXPECT_EQ(all_of(*sample_from(bytes_of(part))), all_of(part));
  auto bytes = bytes_of(*coins);
  bytes[0] = 'x';
  EXPECT_THROW(sample_from(bytes), ArgumentError);
  bytes.pop_back();
  EXPECT_THROW(sample_from(bytes), ArgumentError);
  EXPECT_THROW(sample_from({}), ArgumentError);
}

TEST(CoinSample, RefusesWhatIsNoRate) {
  SeededBits bits(1);
  for (const double bad : {-0.1, 1.1, std::nan("")}) EXPECT_THROW(draw_sample(bits, 5, bad), ArgumentError);
}

}  // namespace
}  // namespace dperm::random
