// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/repetitions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "dperm/core/error.hpp"
#include "tests/support/goodness_of_fit.hpp"
#include "tests/support/scripted_bits.hpp"

namespace dperm::random {
namespace {

using testing::Cell;
using testing::ScriptedBits;
using testing::test_cells;

using Distribution = std::function<double(int)>;

// From the gamma function, not by the sampler's recurrence.
Distribution poisson_distribution(double mean) {
  return [=](int k) { return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0)); };
}
Distribution negative_binomial_distribution(double shape, double success) {
  return [=](int k) {
    if (k == 0) return 0.0;
    if (shape == 0) return std::exp(k * std::log1p(-success)) / (k * -std::log(success));
    return std::exp(k * std::log1p(-success) + std::lgamma(k + shape) - std::lgamma(k + 1.0) - std::lgamma(shape)) /
           std::expm1(-shape * std::log(success));
  };
}

std::vector<Cell> cells_of(const Distribution& distribution, int most) {
  std::vector<Cell> cells;
  double rest = 1;
  for (int k = 0; k < most; ++k) {
    cells.push_back({distribution(k), 0});
    rest -= cells.back().probability;
  }
  cells.push_back({std::max(0.0, rest), 0});
  return cells;
}

struct Case {
  Distribution distribution, wrong;
  std::function<std::uint64_t(BitSource&)> draw;
};

TEST(Repetitions, CountsHaveTheirProbabilities) {
  constexpr int kMost = 200, kTrials = 30'000;
  std::vector<Case> cases;
  for (const double mean : {0.3, 4.0, 10.0}) {
    cases.push_back({poisson_distribution(mean), poisson_distribution(mean * 1.15),
                     [=](BitSource& bits) { return poisson(bits, mean); }});
  }
  for (const double shape : {0.0, 0.5, 1.0, 3.0}) {
    for (const double success : {0.1, 0.5}) {
      cases.push_back({negative_binomial_distribution(shape, success),
                       negative_binomial_distribution(shape, success * 1.15),
                       [=](BitSource& bits) { return truncated_negative_binomial(bits, shape, success); }});
    }
  }
  std::uint64_t seed = 1;
  for (const Case& each : cases) {
    SeededBits bits(seed++);
    std::vector<Cell> cells = cells_of(each.distribution, kMost), wrong = cells_of(each.wrong, kMost);
    for (int i = 0; i < kTrials; ++i) {
      const std::size_t cell = std::min<std::uint64_t>(each.draw(bits), kMost);
      ++cells[cell].observed;
      ++wrong[cell].observed;
    }
    EXPECT_TRUE(test_cells(cells)) << seed << ": " << test_cells(cells).text;
    EXPECT_FALSE(test_cells(wrong)) << seed << ": " << test_cells(wrong).text;
  }
}

// Geometric with success 1/2: F(k) = 1 - 2^-k, so a uniform that starts with k ones and a zero gives k + 1. Where all
// digits so far are ones another word decides.
TEST(Repetitions, TheDigitsOfTheUniformDecide) {
  const auto geometric = [](std::vector<std::uint64_t> words, std::size_t used) {
    ScriptedBits bits(std::move(words));
    const std::uint64_t count = truncated_negative_binomial(bits, 1, 0.5);
    EXPECT_EQ(bits.used(), used);
    return count;
  };
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  EXPECT_EQ(geometric({1}, 1), 1u);
  EXPECT_EQ(geometric({(kOnes << 61) + 1}, 1), 4u);
  EXPECT_EQ(geometric({(kOnes << 61) - 2}, 1), 3u);
  EXPECT_EQ(geometric({kOnes, 1}, 2), 65u);
  EXPECT_EQ(geometric({kOnes, (kOnes << 60) + 1}, 2), 69u);
}

TEST(Repetitions, LargeMeansAreDrawn) {
  SeededBits bits(3);
  EXPECT_NEAR(static_cast<double>(poisson(bits, kLargestPoissonMean)), kLargestPoissonMean, 700);  // seven deviations
  EXPECT_GE(truncated_negative_binomial(bits, 0, kLeastSuccess), 1u);
}

TEST(Repetitions, RefusesParametersOutOfRange) {
  SeededBits bits(1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double mean : {0.0, -1.0, 2e4, nan}) EXPECT_THROW(poisson(bits, mean), ArgumentError);
  for (const double shape : {-0.5, 2000.0, nan}) {
    EXPECT_THROW(truncated_negative_binomial(bits, shape, 0.5), ArgumentError);
  }
  for (const double success : {0.0, 1e-5, 1.0, nan}) {
    EXPECT_THROW(truncated_negative_binomial(bits, 1, success), ArgumentError);
  }
}

}  // namespace
}  // namespace dperm::random
