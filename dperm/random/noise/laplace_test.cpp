// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/noise/laplace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "dperm/core/error.hpp"
#include "dperm/random/bernoulli.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::random {
namespace {

using testing::Verdict;

constexpr std::size_t kSamples = 1'000'000;

// P(X < e) for P(k) = (1 - q) / (1 + q) q^|k|, q = exp(-1 / scale).
double below(std::int64_t edge, double scale) {
  const double q = std::exp(-1 / scale);
  const auto e = static_cast<double>(edge);
  return edge <= 0 ? std::pow(q, 1 - e) / (1 + q) : 1 - std::pow(q, e) / (1 + q);
}

std::vector<std::int64_t> draw(const std::function<std::int64_t()>& sampler, std::size_t size = kSamples) {
  std::vector<std::int64_t> samples(size);
  for (std::int64_t& sample : samples) sample = sampler();
  return samples;
}

Verdict judge(const std::vector<std::int64_t>& samples, double scale) {
  std::vector<std::int64_t> edges;
  for (int step = -8; step <= 8; ++step) {
    const auto edge = static_cast<std::int64_t>(std::floor(step * scale / 2)) + (step > 0 ? 1 : 0);
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  return testing::test_cells(testing::count_between(samples, edges, [&](std::int64_t e) { return below(e, scale); }));
}

TEST(DiscreteLaplace, HasItsDistribution) {
  const std::uint64_t huge = std::uint64_t{1} << 61;
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> scales{
      {1, 1}, {7, 2}, {1, 3}, {1000, 1}, {huge, huge / 5}, {2 * huge - 1, 2 * huge - 3}, {std::uint64_t{1} << 50, 1}};
  for (const auto& [numerator, denominator] : scales) {
    SeededBits bits(numerator ^ denominator);
    const double scale = static_cast<double>(numerator) / static_cast<double>(denominator);
    const auto samples = draw([&] { return discrete_laplace(bits, numerator, denominator); });
    const Verdict verdict = judge(samples, scale);
    EXPECT_TRUE(verdict) << scale << ": " << verdict.text;
  }
}

TEST(DiscreteLaplace, TheTestSeesAVarianceOnePercentOff) {
  SeededBits bits(1);
  const auto samples = draw([&] { return discrete_laplace(bits, 1005, 1); }, 4 * kSamples);
  EXPECT_FALSE(judge(samples, 1000)) << judge(samples, 1000).text;
  EXPECT_TRUE(judge(samples, 1005)) << judge(samples, 1005).text;
}

// The sampler without "start again at minus zero": zero comes out twice as often.
TEST(DiscreteLaplace, TheTestSeesADoubledZero) {
  SeededBits bits(2);
  const auto samples = draw([&] {
    std::int64_t magnitude = 0;
    while (bernoulli_exp(bits, 2, 7)) ++magnitude;
    return bernoulli(bits, 1, 2) ? magnitude : -magnitude;
  });
  EXPECT_FALSE(judge(samples, 3.5)) << judge(samples, 3.5).text;
}

// A sampler that starts again beyond 10 scales would show none of these.
TEST(DiscreteLaplace, TheTailIsThere) {
  SeededBits bits(3);
  std::uint64_t beyond = 0;
  for (const std::int64_t sample : draw([&] { return discrete_laplace(bits, 20, 1); })) {
    if (std::abs(sample) >= 200) ++beyond;
  }
  const double probability = 2 * below(-199, 20);
  EXPECT_TRUE(testing::test_event(beyond, kSamples, probability));
  EXPECT_FALSE(testing::test_event(0, kSamples, probability)) << "the test would not see a cut tail";
}

TEST(DiscreteLaplace, TheLowBitsOfALargeScaleAreFair) {
  SeededBits bits(4);
  std::vector<testing::Cell> cells(64, testing::Cell{1.0 / 64, 0});
  for (std::size_t i = 0; i < kSamples; ++i) {
    ++cells[static_cast<std::uint64_t>(discrete_laplace(bits, (std::uint64_t{1} << 40) + 12345, 1)) % 64].observed;
  }
  EXPECT_TRUE(testing::test_cells(cells)) << testing::test_cells(cells).text;
}

TEST(DiscreteLaplace, RefusesScalesItCannotServe) {
  SeededBits bits(1);
  const std::uint64_t limit = std::uint64_t{1} << 62;
  EXPECT_THROW(discrete_laplace(bits, 0, 1), ArgumentError);
  EXPECT_THROW(discrete_laplace(bits, 1, 0), ArgumentError);
  EXPECT_THROW(discrete_laplace(bits, limit, limit - 1), ArgumentError);
  EXPECT_THROW(discrete_laplace(bits, limit - 1, limit), ArgumentError);
  EXPECT_THROW(discrete_laplace(bits, kMaximumLaplaceScale + 1, 1), ArgumentError);
  EXPECT_NO_THROW(discrete_laplace(bits, kMaximumLaplaceScale, 1));
}

}  // namespace
}  // namespace dperm::random
