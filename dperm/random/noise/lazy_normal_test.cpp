// SPDX-License-Identifier: Apache-2.0
// Leads the normal sampler through its rare branches with scripted bits, and checks fast against slow decisions.
#include "dperm/random/noise/lazy_normal.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/random/bernoulli.hpp"
#include "tests/support/scripted_bits.hpp"

namespace dperm::random::detail {
namespace {

using testing::ScriptedBits;
using Number = boost::multiprecision::cpp_bin_float_100;

constexpr Shortcuts kNoShortcuts{.acceptance_margin = 1, .word_rounding = false};

std::int64_t sample(BitSource& bits, double sigma, const Shortcuts& shortcuts) {
  return round_multiple(bits, sigma, draw_normal(bits, shortcuts), shortcuts);
}

// The word that proposes `whole` (below 31) with a plus sign and these 32 digits of the acceptance uniform.
std::uint64_t proposal_word(unsigned whole, std::uint64_t coin) { return (coin << 32) | (std::uint64_t{2} << whole); }

Number acceptance(unsigned whole, const Number& t) { return ldexp(exp((1 - t * t) / 2), static_cast<int>(whole) - 1); }

std::uint64_t first_64_digits(const Number& fraction) { return static_cast<std::uint64_t>(floor(ldexp(fraction, 64))); }

TEST(LazyNormal, SlowAndFastDecisionsAgreeBitForBit) {
  for (const double sigma : {0.5, 3.7, 1000.0, 0x1.fffffffffffffp49}) {
    SeededBits fast(17);
    SeededBits slow(17);
    SeededBits mixed(17);
    for (int i = 0; i < 20'000; ++i) {
      const std::int64_t expected = sample(fast, sigma, {});
      ASSERT_EQ(sample(slow, sigma, kNoShortcuts), expected);
      ASSERT_EQ(sample(mixed, sigma, {.acceptance_margin = 0.05, .word_rounding = i % 2 == 0}), expected);
    }
    const std::uint64_t next = fast.next();
    EXPECT_EQ(slow.next(), next) << "the slow decisions drew other bits";
    EXPECT_EQ(mixed.next(), next);
  }
}

// A coin whose 32 digits fall on the acceptance probability itself is decided by the digits after them.
TEST(LazyNormal, AnUndecidedCoinIsDecidedByMoreDigits) {
  for (const unsigned whole : {0u, 1u, 2u, 3u}) {
    const std::uint64_t head = 0x123456789abcdef0;
    const std::uint64_t tail = 0xfedcba9876543210;
    const Number t = whole + ldexp(Number(head), -64) + ldexp(Number(tail), -128);
    const Number scaled = ldexp(acceptance(whole, t), 32);
    const auto coin = static_cast<std::uint64_t>(floor(scaled));
    const std::uint64_t edge = first_64_digits(scaled - floor(scaled));

    ScriptedBits accepted({proposal_word(whole, coin), head, tail, edge - 1});
    EXPECT_EQ(sample(accepted, 1000, {}), static_cast<std::int64_t>(floor(1000 * t + 0.5)));
    EXPECT_EQ(accepted.used(), 4u);

    // Rejected, then a second proposal that cannot fail: whole 0, fraction 1/4, coin 0.
    const std::uint64_t quarter = std::uint64_t{1} << 62;
    ScriptedBits rejected({proposal_word(whole, coin), head, tail, edge + 1, proposal_word(0, 0), quarter});
    EXPECT_EQ(sample(rejected, 1000, {}), 250);
    EXPECT_EQ(rejected.used(), 6u);

    // Still undecided after 96 digits: a third round of draws.
    ScriptedBits close({proposal_word(whole, coin), head, tail, edge, 0, 0});
    EXPECT_EQ(sample(close, 1000, {}), static_cast<std::int64_t>(floor(1000 * t + 0.5)));
    EXPECT_EQ(close.used(), 6u);
  }
}

// An acceptance probability 2^-58 away from the end of the coin's cell is nearer than double precision can tell. Above
// the end the coin is below for certain; short of it the coin's next digits decide.
TEST(LazyNormal, AnEdgeFinerThanDoublePrecisionIsNotDecidedInDoublePrecision) {
  const Number tiny = ldexp(Number(1), -58);
  for (std::uint64_t coin = 0x70000000; coin < 0x70000100; ++coin) {
    const Number end = ldexp(Number(coin + 1), -32);
    // whole = 1: the probability is exp((1 - t^2) / 2), so t = sqrt(1 - 2 ln p).
    const auto fraction_for = [](const Number& probability) {
      return first_64_digits(sqrt(1 - 2 * log(probability)) - 1);
    };
    ScriptedBits above({proposal_word(1, coin), fraction_for(end + tiny)});
    EXPECT_EQ(draw_normal(above).whole, 1u);
    EXPECT_EQ(above.used(), 2u);

    const std::uint64_t ones = ~std::uint64_t{0};
    ScriptedBits below({proposal_word(1, coin), fraction_for(end - tiny), 0, ones, proposal_word(0, 0), 0});
    EXPECT_EQ(draw_normal(below).whole, 0u) << "the coin was above the probability and the proposal was accepted";
    EXPECT_EQ(below.used(), 6u);

    // The same at the beginning of the cell.
    const Number begin = ldexp(Number(coin), -32);
    ScriptedBits certain({proposal_word(1, coin), fraction_for(begin - tiny), proposal_word(0, 0), 0});
    EXPECT_EQ(draw_normal(certain).whole, 0u);
    EXPECT_EQ(certain.used(), 4u);

    ScriptedBits possible({proposal_word(1, coin), fraction_for(begin + tiny), 0, 0});
    EXPECT_EQ(draw_normal(possible).whole, 1u) << "the coin was below the probability and the proposal was rejected";
    EXPECT_EQ(possible.used(), 4u);
  }
}

// The fraction's own cell holds the point where the probability crosses an end of the coin's cell: its next digits
// count.
TEST(LazyNormal, AnUndecidedFractionIsDecidedByMoreDigits) {
  const std::uint64_t ones = ~std::uint64_t{0};
  for (std::uint64_t coin = 0x70000000; coin < 0x70000100; ++coin) {
    const auto fraction_at = [](std::uint64_t cell) {
      return first_64_digits(sqrt(1 - 2 * log(ldexp(Number(cell), -32))) - 1);
    };
    ScriptedBits rejected({proposal_word(1, coin), fraction_at(coin + 1), ones, ones, proposal_word(0, 0), 0});
    EXPECT_EQ(draw_normal(rejected).whole, 0u);
    EXPECT_EQ(rejected.used(), 6u);
    ScriptedBits accepted({proposal_word(1, coin), fraction_at(coin), 0, 0});
    EXPECT_EQ(draw_normal(accepted).whole, 1u);
    EXPECT_EQ(accepted.used(), 4u);
  }
}

// sigma t + 1/2 = 3 t + 1/2 is an integer at t = 1/6 = 0.0010101...: those digits decide nothing, the first other does.
TEST(LazyNormal, AnUndecidedRoundingIsDecidedByMoreDigits) {
  const std::uint64_t sixth = 0x2aaaaaaaaaaaaaaa;
  const std::uint64_t further = 0xaaaaaaaaaaaaaaaa;
  for (const bool negative : {false, true}) {
    const std::uint64_t word = proposal_word(0, 0) | (negative ? 1 : 0);
    ScriptedBits below({word, sixth, further, further, further - 1});
    EXPECT_EQ(sample(below, 3, {}), 0);
    EXPECT_EQ(below.used(), 5u);
    ScriptedBits above({word, sixth, further, further, further + 1});
    EXPECT_EQ(sample(above, 3, {}), negative ? -1 : 1);
    EXPECT_EQ(above.used(), 5u);
  }
}

// A draw 35.5 deviations out: no table or cut-off stands in the way, only 928 zero digits of the coin.
TEST(LazyNormal, TheTailHasNoEnd) {
  std::vector<std::uint64_t> words{0, 16, std::uint64_t{1} << 63};  // 31 + 4 zeros: whole 35; fraction 1/2
  words.resize(words.size() + 28, 0);
  ScriptedBits bits(words);
  EXPECT_EQ(sample(bits, 1001, {}), 35536);  // 1001 * 35.5 = 35535.5
  EXPECT_EQ(bits.used(), words.size());

  words[3 + 25] = 1;  // the 864th digit of the coin is a one, above the acceptance probability 2^-874
  words.resize(3 + 26);
  words.insert(words.end(), {proposal_word(0, 0), std::uint64_t{1} << 62});
  ScriptedBits rejected(words);
  EXPECT_EQ(sample(rejected, 1000, {}), 250);
  EXPECT_EQ(rejected.used(), words.size());
}

TEST(LazyNormal, CountsZerosAcrossWords) {
  const std::uint64_t coin = std::uint64_t{1} << 32;  // the last of 32 digits: rejects every whole part above 6
  ScriptedBits rejected({coin, 0, 0, 2, 0, proposal_word(0, 0), std::uint64_t{1} << 62});
  EXPECT_EQ(sample(rejected, 1000, {}), 250);
  EXPECT_EQ(rejected.used(), 7u);

  // 31 + 64 + 1 zeros, then a coin of zeros: accepted after some 6500 of them.
  std::vector<std::uint64_t> words{0, 0, 2};
  words.resize(300, 0);
  ScriptedBits accepted(words);
  EXPECT_EQ(draw_normal(accepted).whole, 96u);
}

TEST(LazyNormal, AFarMultipleIsRoundedInBigIntegersAndRefusedBeyond64Bits) {
  SeededBits bits(1);
  const LazyUniform third(0x5555555555555555, 64);
  EXPECT_EQ(round_multiple(bits, 0.5, {false, 5000, third}), 2500);
  EXPECT_EQ(round_multiple(bits, 3, {true, 1'000'000'000'000, third}), -3'000'000'000'001);
  EXPECT_EQ(round_multiple(bits, 0x1p50, {false, 1024, LazyUniform(0, 64)}), std::int64_t{1} << 60);
  EXPECT_THROW(round_multiple(bits, 0x1p50, {false, 9000, third}), InternalError);
}

// Rounding against 100-digit arithmetic over the whole range of sigma and of whole parts.
TEST(LazyNormal, RoundsToTheNearestInteger) {
  SeededBits bits(2);
  for (int i = 0; i < 20'000; ++i) {
    const double mantissa = 1 + static_cast<double>(bits.next() >> 12) * 0x1p-52;
    const double sigma = std::min(0x1p50, std::ldexp(mantissa, static_cast<int>(uniform_below(bits, 51)) - 1));
    const std::uint64_t whole = uniform_below(bits, 1024) >> uniform_below(bits, 10);
    const LazyNormal normal{(i & 1) != 0, whole, LazyUniform(bits.next(), 64)};
    const Number t = Number(whole) + ldexp(Number(normal.fraction.head()), -64);
    const Number value = (normal.negative ? -1 : 1) * sigma * t;
    const std::int64_t rounded = round_multiple(bits, sigma, normal);
    ASSERT_EQ(rounded, round_multiple(bits, sigma, normal, kNoShortcuts));
    ASSERT_LE(abs(Number(rounded) - value), Number(0.5) + ldexp(Number(sigma), -64)) << sigma;
  }
}

// Samplers in several threads share nothing only if MPFR keeps its caches and flags per thread.
TEST(LazyNormal, MpfrIsBuiltForThreads) { EXPECT_TRUE(mpfr_buildopt_tls_p()); }

// What the margin of the fast decision rests on: exp is good to far better than 2^-41.
TEST(LazyNormal, TheLibrarysExpIsAsGoodAsTheMarginAssumes) {
  SeededBits bits(3);
  for (int i = 0; i < 20'000; ++i) {
    const double x = 0.5 - static_cast<double>(bits.next()) * 0x1p-64 * 60;
    const Number exact = exp(Number(x));
    ASSERT_LT(abs(Number(std::exp(x)) - exact), ldexp(exact, -50)) << x;
  }
}

}  // namespace
}  // namespace dperm::random::detail
