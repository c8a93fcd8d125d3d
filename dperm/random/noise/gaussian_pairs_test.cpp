// SPDX-License-Identifier: Apache-2.0
// The proved error of the vector arithmetic against MPFR, decisions where they are hardest, and the exact evaluation.
// gaussian_test.cpp tests the distribution.
#include "dperm/random/noise/gaussian_pairs.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/mpfr.hpp>
#include <cfenv>
#include <cmath>
#include <string>
#include <vector>

#include "dperm/random/bernoulli.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/scripted_bits.hpp"

namespace dperm::random::detail {
namespace {

using testing::ScriptedBits;
using Number = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<60>>;

constexpr std::uint64_t kOnes = ~std::uint64_t{0};
constexpr double kProvedError = 0x1p-48;

struct Words {
  std::uint64_t radius, angle;
};

struct Point {
  Number radius, x, y;
};

const Number& octant() {
  static const Number value = boost::math::constants::pi<Number>() / 4;
  return value;
}

// The pair at the given places of the two cells, 0 at their beginning and 1 at their end.
Point real_point(const Words& words, const Number& radius_place, const Number& angle_place) {
  const Number uniform = ldexp(Number(words.radius) + radius_place, -64);
  const Number angle = octant() * ldexp(Number(words.angle >> 3) + angle_place, -61);
  Point point{sqrt(-2 * log(uniform)), cos(angle), sin(angle)};
  if ((words.angle & 1) != 0) std::swap(point.x, point.y);
  if ((words.angle & 2) != 0) point.x = -point.x;
  if ((words.angle & 4) != 0) point.y = -point.y;
  return point;
}

// Where the arithmetic changes its path or has least to work with: ends of the range, powers of two, the roots between
// them, and their neighbours.
std::vector<std::uint64_t> difficult_words() {
  std::vector<std::uint64_t> words;
  const auto around = [&words](std::uint64_t word) {
    for (const std::uint64_t step : {0u, 1u, 2u, 7u, 0xfffu, 0x1000u, 0x1800u, 0x123456u}) {
      words.push_back(word + step);
      words.push_back(word - step);
    }
  };
  for (unsigned shift = 0; shift < 20; ++shift) {
    around(std::uint64_t{1} << (63 - shift));
    around(kOnes - (std::uint64_t{1} << (63 - shift)));
    around(std::uint64_t{0xb504f333f9de6484} >> shift);
  }
  return words;
}

PairBatch directions_of(const std::vector<Words>& words) {
  PairBatch batch{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    batch.radius_bits[i] = words[i].radius;
    batch.angle_bits[i] = words[i].angle;
  }
  compute_directions(batch, words.size());
  return batch;
}

// The largest |computed - real| / radius over both coordinates and all corners of the cells.
double largest_error(const std::vector<Words>& all) {
  double largest = 0;
  for (std::size_t first = 0; first < all.size(); first += kBatchPairs) {
    const std::vector<Words> some(all.begin() + static_cast<std::ptrdiff_t>(first),
                                  all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), first + kBatchPairs)));
    const PairBatch batch = directions_of(some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (std::isnan(batch.radius[i])) continue;
      for (const int corner : {0, 1, 2, 3}) {
        const Point real = real_point(some[i], corner % 2, corner / 2);
        const Number x_error = abs(Number(batch.radius[i] * batch.x[i]) - real.radius * real.x);
        const Number y_error = abs(Number(batch.radius[i] * batch.y[i]) - real.radius * real.y);
        largest = std::max(largest, static_cast<double>(Number(max(x_error, y_error) / real.radius)));
      }
    }
  }
  return largest;
}

TEST(GaussianPairs, ComputedPairsAreWithinTheProvedError) {
  SeededBits bits(1);
  std::vector<Words> random, dense, extreme;
  for (int i = 0; i < 20'000; ++i) random.push_back({bits.next(), bits.next()});
  for (std::uint64_t i = 0; i < 1 << 14; ++i) dense.push_back({i << 50 | 1, (i * 5 + 3) << 50 | (i & 7)});
  for (const std::uint64_t word : difficult_words()) {
    for (const std::uint64_t angle : {std::uint64_t{0}, kOnes, std::uint64_t{1} << 63, word}) {
      extreme.push_back({word, angle});
    }
  }
  for (const auto& [name, words] : {std::pair("random", random), {"dense", dense}, {"extreme", extreme}}) {
    const double error = largest_error(words);
    EXPECT_LT(error, kProvedError) << name;
    EXPECT_GT(error, 0x1p-53) << "smaller than one rounding: nothing was compared";
    RecordProperty(name, std::to_string(error * 0x1p53));
  }
  // Away from the ends of the range the error is a few roundings; a wrong digit in a coefficient shows here.
  EXPECT_LT(largest_error({random.begin(), random.begin() + 5000}), 5 * 0x1p-53);
}

// Double precision says nothing exactly where a radius is far out or near zero, and never elsewhere.
TEST(GaussianPairs, UnknownRadiiAreRareAndMarked) {
  const std::uint64_t edge = std::uint64_t{1} << 48;
  const PairBatch batch =
      directions_of({{0, 0}, {edge - 1, 0}, {edge, 0}, {kOnes, 0}, {kOnes - edge + 1, 0}, {kOnes - edge, 0}});
  for (const std::size_t unknown : {0u, 1u, 3u, 4u}) EXPECT_TRUE(std::isnan(batch.radius[unknown])) << unknown;
  EXPECT_NEAR(batch.radius[2], std::sqrt(32 * std::log(2)), 1e-10);
  EXPECT_NEAR(batch.radius[5], std::sqrt(0x1p-15), 1e-6);
}

struct Tally {
  int decided = 0, wrong = 0, undecided = 0;
};

// One pair, with a sigma that brings one of its coordinates next to a half-integer.
void count_decisions(const Words& words, double sigma, double margin, Tally& tally) {
  PairBatch batch = directions_of({words});
  round_pairs(batch, 1, sigma, margin);
  for (const bool second : {false, true}) {
    const std::int64_t rounded = second ? batch.rounded_y[0] : batch.rounded_x[0];
    if (rounded == kUndecided) {
      ++tally.undecided;
      continue;
    }
    ++tally.decided;
    bool right = true;
    for (const int corner : {0, 1, 2, 3}) {
      const Point real = real_point(words, corner % 2, corner / 2);
      right = right && floor(sigma * real.radius * (second ? real.y : real.x) + 0.5) == rounded;
    }
    tally.wrong += right ? 0 : 1;
  }
}

TEST(GaussianPairs, DecisionsNextToAHalfIntegerAreRightOrNotTaken) {
  SeededBits bits(2);
  Tally with_margin, without;
  for (int i = 0; i < 1'500; ++i) {
    const Words words{bits.next(), bits.next()};
    const Point real = real_point(words, Number(0.5), Number(0.5));
    const std::int64_t whole = static_cast<std::int64_t>(uniform_below(bits, std::uint64_t{1} << (i % 37)));
    const double edge = static_cast<double>(Number(abs((whole + Number(0.5)) / (real.radius * real.x))));
    if (!(edge >= 0.5 && edge <= kLargestPairSigma)) continue;
    for (const int step : {-5000, -100, -16, -4, -1, 0, 1, 4, 16, 100, 5000}) {
      const double sigma = edge * (1 + step * 0x1p-52);
      count_decisions(words, sigma, kPairMargin, with_margin);
      count_decisions(words, sigma, 0, without);
    }
  }
  EXPECT_EQ(with_margin.wrong, 0);
  EXPECT_GT(with_margin.decided, 5'000);
  EXPECT_GT(with_margin.undecided, 5'000);
  EXPECT_GT(without.wrong, 500) << "the test would not see a missing margin";
}

TEST(GaussianPairs, ExactEvaluationGivesTheSameIntegersFromTheSameBits) {
  for (const double sigma : {0.5, 3.7, 1000.0, 0x1p20, kLargestPairSigma}) {
    SeededBits fast(3), exact(3), mixed(3);
    std::vector<std::int64_t> expected(6'001), out(expected.size());
    draw_pairs(fast, sigma, expected);
    draw_pairs(exact, sigma, out, 1e9);  // nothing is decided in double precision
    EXPECT_EQ(out, expected) << sigma;
    draw_pairs(mixed, sigma, out, 0.2 / sigma);
    EXPECT_EQ(out, expected) << sigma;
    const std::uint64_t next = fast.next();
    EXPECT_EQ(exact.next(), next) << "exact evaluation drew other bits";
    EXPECT_EQ(mixed.next(), next);
  }
}

// The radius for which sigma * radius * cos is a half-integer, to 128 digits: the digits after the first 64 decide.
TEST(GaussianPairs, AnUndecidedPairIsDecidedByMoreDigits) {
  const double sigma = 1000;
  const std::uint64_t angle = 0x123456789abcdef0, angle_tail = 0xfedcba9876543210;
  for (const int whole : {300, 700, 1500, 4000}) {
    const Number position = ldexp(Number(angle >> 3), -61) + ldexp(Number(angle_tail), -125);
    const Number radius = (whole + Number(0.5)) / (sigma * cos(octant() * position));
    const Number scaled = ldexp(exp(-radius * radius / 2), 64);
    const auto head = static_cast<std::uint64_t>(floor(scaled));
    const auto tail = static_cast<std::uint64_t>(floor(ldexp(scaled - floor(scaled), 64)));
    const std::uint64_t step = 1 << 10;  // the digits of the angle that are still unknown move the edge by less
    std::vector<std::int64_t> out(1);
    ScriptedBits outside({head, angle, tail - step, angle_tail});  // a smaller uniform is a larger radius
    draw_pairs(outside, sigma, out);
    EXPECT_EQ(out[0], whole + 1);
    EXPECT_EQ(outside.used(), 4u);
    ScriptedBits inside({head, angle, tail + step, angle_tail});
    draw_pairs(inside, sigma, out);
    EXPECT_EQ(out[0], whole);
    EXPECT_EQ(inside.used(), 4u);
    ScriptedBits close({head, angle, tail, angle_tail, 0, kOnes});
    draw_pairs(close, sigma, out);
    EXPECT_EQ(close.used(), 6u);
  }
}

TEST(GaussianPairs, EveryOctantIsReached) {
  const std::uint64_t head = std::uint64_t{1} << 62;  // the radius is sqrt(2 ln 4)
  const std::uint64_t middle = std::uint64_t{1} << 63;
  const auto far =
      static_cast<std::int64_t>(std::floor(1e6 * std::sqrt(2 * std::log(4)) * std::cos(std::acos(-1) / 8)));
  const auto near =
      static_cast<std::int64_t>(std::floor(1e6 * std::sqrt(2 * std::log(4)) * std::sin(std::acos(-1) / 8)));
  for (std::uint64_t bits = 0; bits < 8; ++bits) {
    ScriptedBits script({head, middle | bits});
    std::vector<std::int64_t> out(2);
    draw_pairs(script, 1e6, out);
    EXPECT_NEAR(std::abs(static_cast<double>(out[0])), static_cast<double>((bits & 1) != 0 ? near : far), 1);
    EXPECT_NEAR(std::abs(static_cast<double>(out[1])), static_cast<double>((bits & 1) != 0 ? far : near), 1);
    EXPECT_EQ(out[0] < 0, (bits & 2) != 0);
    EXPECT_EQ(out[1] < 0, (bits & 4) != 0);
  }
}

// A uniform of 256 zero digits and then a one: 18.9 deviations, with no table or cut-off in the way.
TEST(GaussianPairs, TheTailHasNoEnd) {
  ScriptedBits bits({0, 0, 0, 0, 0, 0, 0, 0, std::uint64_t{1} << 63, 0});
  std::vector<std::int64_t> out(2);
  draw_pairs(bits, 1000, out);
  EXPECT_EQ(out[0], static_cast<std::int64_t>(std::floor(1000 * std::sqrt(2 * 257 * std::log(2)) + 0.5)));
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(bits.used(), 10u);

  ScriptedBits centre({kOnes, 0});
  draw_pairs(centre, 1000, out);
  EXPECT_EQ(out, (std::vector<std::int64_t>{0, 0}));
}

TEST(GaussianPairs, AnyNumberOfSamplesCanBeDrawn) {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 17u, 511u, 512u, 513u, 1023u, 1025u}) {
    SeededBits bits(4), longer(4);
    std::vector<std::int64_t> out(size + 1, 77);
    draw_pairs(bits, 1000, std::span(out).first(size));
    EXPECT_EQ(out[size], 77) << "wrote beyond the end";
    std::vector<std::int64_t> whole((size + 511) / 512 * 512);
    draw_pairs(longer, 1000, whole);
    const std::size_t same = size / 512 * 512;  // what a batch holds does not depend on the batches after it
    EXPECT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(same), whole.begin())) << size;
  }
}

// Words of the documented seeded stream, evaluated by a separate program in 60 digits.
TEST(GaussianPairs, ASeedGivesTheDocumentedNoise) {
  SeededBits bits(2026);
  std::vector<std::int64_t> out(6);
  draw_pairs(bits, 1e6, out);
  EXPECT_EQ(out, (std::vector<std::int64_t>{74246, -274497, 1047908, -899823, -865060, 694620}));
}

// Not the integers alone: the same doubles, so that the same pairs go to exact evaluation.
TEST(GaussianPairs, TheSameBitsOnEveryInstructionSet) {
  SeededBits bits(5);
  std::vector<Words> words(kBatchPairs);
  for (Words& each : words) each = {bits.next(), bits.next()};
  words[0].radius = 0;
  const auto digest = [&words] {
    const PairBatch batch = directions_of(words);
    std::vector<std::uint64_t> all;
    for (const auto& part : {batch.radius, batch.x, batch.y}) {
      for (const double value : part) all.push_back(std::bit_cast<std::uint64_t>(value));
    }
    return all;
  };
  const auto draw = [] {
    SeededBits source(5);
    std::vector<std::int64_t> out(20'011);
    draw_pairs(source, 0x1p30, out);
    return out;
  };
  const std::vector<std::uint64_t> expected = digest();
  const std::vector<std::int64_t> noise = draw();
  int targets = 0;
  testing::for_each_target([&](const char* target) {
    EXPECT_EQ(digest(), expected) << target;
    EXPECT_EQ(draw(), noise) << target;
    ++targets;
  });
  EXPECT_GE(targets, 2) << "nothing was compared";
}

TEST(GaussianPairs, TheSameIntegersInEveryRoundingMode) {
  SeededBits bits(6);
  std::vector<std::int64_t> expected(4'000), out(expected.size());
  draw_pairs(bits, 1000, expected);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    SeededBits again(6);
    ASSERT_EQ(std::fesetround(mode), 0);
    draw_pairs(again, 1000, out);
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
    EXPECT_EQ(out, expected) << mode;
  }
}

}  // namespace
}  // namespace dperm::random::detail
