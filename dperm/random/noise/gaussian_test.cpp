// SPDX-License-Identifier: Apache-2.0
// The distribution of the rounded Gaussian, against exact cell probabilities. lazy_normal_test.cpp and
// gaussian_pairs_test.cpp have the scripted cases.
#include "dperm/random/noise/gaussian.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"
#include "dperm/random/noise/gaussian_pairs.hpp"
#include "dperm/random/noise/lazy_normal.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::random {
namespace {

using testing::Cell;
using testing::Verdict;

constexpr std::size_t kSamples = 4'000'000;

double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

std::vector<std::int64_t> draw(double sigma, std::uint64_t seed, std::size_t size = kSamples) {
  SeededBits bits(seed);
  std::vector<std::int64_t> samples(size);
  rounded_gaussians(bits, sigma, samples);
  return samples;
}

// What rounded_gaussians does at a large sigma, for any sigma: the distribution of the normals that K-norm noise is
// made of.
std::vector<std::int64_t> draw_singly(double sigma, std::uint64_t seed, std::size_t size = kSamples) {
  SeededBits bits(seed);
  std::vector<std::int64_t> samples(size);
  for (std::int64_t& sample : samples) sample = detail::round_multiple(bits, sigma, detail::draw_normal(bits));
  return samples;
}

// Without any decision in double precision.
std::vector<std::int64_t> draw_exactly(double sigma, std::uint64_t seed, std::size_t size) {
  SeededBits bits(seed);
  std::vector<std::int64_t> samples(size);
  detail::draw_pairs(bits, sigma, samples, 1e9);
  return samples;
}

// Against P(X < e) = Phi((e - 1/2) / sigma): every integer its own cell, or cells of 0.35 deviations.
Verdict judge(const std::vector<std::int64_t>& samples, double sigma) {
  std::vector<std::int64_t> edges;
  for (int step = -8; step <= 8; ++step) {
    const auto edge = static_cast<std::int64_t>(std::floor(0.35 * step * sigma + 0.5));
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  if (edges.size() < 8) edges = {-2, -1, 0, 1, 2, 3};
  const auto below = [&](std::int64_t edge) { return normal_below((static_cast<double>(edge) - 0.5) / sigma); };
  return testing::test_cells(testing::count_between(samples, edges, below));
}

class RoundedGaussian : public ::testing::TestWithParam<double> {};

TEST_P(RoundedGaussian, HasItsDistributionAndTheTestSeesOnePercentOfVariance) {
  const double sigma = GetParam();
  const Verdict exact = judge(draw(sigma, 1), sigma);
  EXPECT_TRUE(exact) << exact.text;
  EXPECT_GT(exact.false_alarm, 1e-4) << exact.text;
  const Verdict single = judge(draw_singly(sigma, 1), sigma);
  EXPECT_TRUE(single) << single.text;
  const Verdict wide = judge(draw(sigma * std::sqrt(1.01), 2), sigma);
  EXPECT_FALSE(wide) << wide.text;
}

TEST_P(RoundedGaussian, HasItsDistributionByExactEvaluationAlone) {
  const Verdict verdict = judge(draw_exactly(GetParam(), 9, 40'000), GetParam());
  EXPECT_TRUE(verdict) << verdict.text;
}

INSTANTIATE_TEST_SUITE_P(AcrossSigma, RoundedGaussian, ::testing::Values(0.5, 1.0, 3.7, 1000.0));

TEST(RoundedGaussianDistribution, HasItsDistributionAtHugeSigma) {
  for (const double sigma : {0x1p20, 0x1p30, 0x1.921fb54442d18p+30, 0x1p36, 0x1p50}) {
    const Verdict verdict = judge(draw(sigma, 3, kSamples / 4), sigma);
    EXPECT_TRUE(verdict) << verdict.text;
  }
}

TEST(RoundedGaussianDistribution, TheTestSeesBiasedRounding) {
  // floor(x + 1/2) of x = 2 sigma Z, halved by a shift, is the floor and not the nearest.
  std::vector<std::int64_t> floored = draw(2 * 3.7, 4);
  for (std::int64_t& sample : floored) sample >>= 1;
  EXPECT_FALSE(judge(floored, 3.7)) << judge(floored, 3.7).text;
}

TEST(RoundedGaussianDistribution, TheTailIsNotCut) {
  for (const double sigma : {1.0, 0x1p20, 0x1p50}) {
    const std::vector<std::int64_t> samples = draw(sigma, 5);
    for (const double deviations : {3.0, 4.5}) {
      const auto edge = static_cast<std::int64_t>(deviations * sigma);
      std::uint64_t beyond = 0;
      for (const std::int64_t sample : samples) beyond += std::abs(sample) >= edge ? 1u : 0u;
      const double probability = 2 * normal_below(-(static_cast<double>(edge) - 0.5) / sigma);
      const Verdict verdict = testing::test_event(beyond, kSamples, probability);
      EXPECT_TRUE(verdict) << verdict.text;
      EXPECT_FALSE(testing::test_event(0, kSamples, probability)) << "the test would not see a cut tail";
    }
  }
}

// Modulo m the distribution is uniform up to exp(-2 pi^2 sigma^2 / m^2).
TEST(RoundedGaussianDistribution, TheLowBitsAreFair) {
  for (const double sigma : {0x1p20, 0x1p30, 0x1.8p49}) {
    std::vector<Cell> cells(128, Cell{1.0 / 128, 0});
    for (const std::int64_t sample : draw(sigma, 6, kSamples / 4))
      ++cells[static_cast<std::uint64_t>(sample) % 128].observed;
    EXPECT_TRUE(testing::test_cells(cells)) << testing::test_cells(cells).text;
  }
}

// Sixteen cells of equal probability by the quartiles of two samples: neighbours in the stream, and partners that came
// from one radius and angle, half a batch apart.
TEST(RoundedGaussianDistribution, NeighboursAndPartnersAreIndependent) {
  const auto quarter = [](std::int64_t sample) {
    // The quartiles of a normal are at 0 and +-0.67448975 deviations.
    const double z = static_cast<double>(sample) * 0x1p-30;
    return z < 0 ? (z < -0.67448975019608171 ? 0u : 1u) : (z < 0.67448975019608171 ? 2u : 3u);
  };
  const std::vector<std::int64_t> samples = draw(0x1p30, 7, std::size_t{1} << 20);
  for (const std::size_t distance : {std::size_t{1}, detail::kBatchPairs}) {
    std::vector<Cell> pairs(16, Cell{1.0 / 16, 0});
    std::vector<Cell> repeated = pairs;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i / distance % 2 != 0) continue;
      const std::int64_t partner = samples[i + distance];
      ++pairs[4 * quarter(samples[i]) + quarter(partner)].observed;
      // One pair in 100 repeats the first sample.
      ++repeated[4 * quarter(samples[i]) + quarter(i % 200 < 2 ? samples[i] : partner)].observed;
    }
    EXPECT_TRUE(testing::test_cells(pairs)) << testing::test_cells(pairs).text;
    EXPECT_FALSE(testing::test_cells(repeated)) << testing::test_cells(repeated).text;
  }
}

// (X^2 + Y^2) / 2 of two partners is exponential, also beyond 16 ln 2, where double precision does not decide.
TEST(RoundedGaussianDistribution, TheRadiusOfTwoPartnersHasItsDistribution) {
  const std::vector<std::int64_t> samples = draw(0x1p20, 10, 2 * kSamples / 1024 * 1024);
  std::vector<Cell> cells;
  for (int cell = 0; cell < 22; ++cell) cells.push_back({std::exp(-cell / 2.0) * -std::expm1(-0.5), 0});
  cells.push_back({std::exp(-11.0), 0});
  std::uint64_t far = 0, near = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i / detail::kBatchPairs % 2 != 0) continue;
    const double x = static_cast<double>(samples[i]) * 0x1p-20;
    const double y = static_cast<double>(samples[i + detail::kBatchPairs]) * 0x1p-20;
    const double square = x * x + y * y;
    ++cells[std::min<std::size_t>(22, static_cast<std::size_t>(square))].observed;
    far += square > 32 * std::log(2) ? 1u : 0u;
    near += square < 0x1p-15 ? 1u : 0u;
  }
  EXPECT_TRUE(testing::test_cells(cells)) << testing::test_cells(cells).text;
  const std::uint64_t pairs = samples.size() / 2;
  EXPECT_TRUE(testing::test_event(far, pairs, 0x1p-16)) << testing::test_event(far, pairs, 0x1p-16).text;
  const double centre = -std::expm1(-0x1p-16);
  EXPECT_TRUE(testing::test_event(near, pairs, centre)) << testing::test_event(near, pairs, centre).text;
  EXPECT_FALSE(testing::test_event(0, pairs, 0x1p-16)) << "the test would not see radii cut at either end";
}

// At sigma 2^30 rounding moves the sums by less than one part in 10^6 of their deviations: the sum is normal, the sum
// of squares chi-square.
TEST(RoundedGaussianDistribution, MomentsAreThoseOfTheNormal) {
  double sum = 0;
  double squares = 0;
  for (const std::int64_t sample : draw(0x1p30, 8)) {
    const double z = static_cast<double>(sample) * 0x1p-30;
    sum += z;
    squares += z * z;
  }
  const auto n = static_cast<double>(kSamples);
  const double mean_rate = 2 * normal_below(-std::fabs(sum) / std::sqrt(n));
  EXPECT_GT(mean_rate, testing::kFalseAlarmRate);
  const double below = boost::math::gamma_p(n / 2, squares / 2);
  EXPECT_GT(2 * std::min(below, 1 - below), testing::kFalseAlarmRate) << squares / n;
  const double off = boost::math::gamma_q(n / 2, squares * 1.01 / 2);
  EXPECT_LT(off, testing::kFalseAlarmRate) << "the test would not see 1% of variance";
}

TEST(RoundedGaussianDistribution, RefusesSigmaOutsideItsRange) {
  SeededBits bits(1);
  std::vector<std::int64_t> one(1);
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double sigma : {nan, infinity, -1.0, 0.0, 0.4999, std::nextafter(kMaximumSigma, infinity)}) {
    EXPECT_THROW(rounded_gaussians(bits, sigma, one), ArgumentError) << sigma;
  }
  EXPECT_NO_THROW(rounded_gaussians(bits, kMinimumSigma, one));
  EXPECT_NO_THROW(rounded_gaussians(bits, kMaximumSigma, one));
}

}  // namespace
}  // namespace dperm::random
