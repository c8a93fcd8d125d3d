// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/selection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/random/bernoulli.hpp"
#include "dperm/random/choice/cost_table.hpp"
#include "dperm/random/exact_coin.hpp"
#include "tests/support/goodness_of_fit.hpp"
#include "tests/support/scripted_bits.hpp"

namespace dperm::random {
namespace {

using testing::Cell;
using testing::Verdict;

constexpr std::size_t kSamples = 400'000;
const std::vector<CostRun> kFour{{1, -10}, {1, -9}, {1, -7}, {1, -3}};

std::vector<double> exponential_distribution(const std::vector<double>& costs, double scale) {
  std::vector<double> distribution;
  for (const double cost : costs) distribution.push_back(std::exp(-cost / scale));
  const double sum = std::accumulate(distribution.begin(), distribution.end(), 0.0);
  for (double& p : distribution) p /= sum;
  return distribution;
}

// The definition, by adding up all orders of few candidates: P(r) = sum over sets S of others visited before r.
std::vector<double> permute_and_flip_distribution(const std::vector<double>& costs, double scale) {
  const std::size_t n = costs.size();
  const double best = *std::min_element(costs.begin(), costs.end());
  std::vector<double> odds, distribution(n, 0.0);
  for (const double cost : costs) odds.push_back(std::exp(-(cost - best) / scale));
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t before = 0; before < (std::size_t{1} << n); ++before) {
      if ((before >> r & 1) != 0) continue;
      const auto size = static_cast<double>(std::popcount(before));
      double p = odds[r] * std::tgamma(size + 1) * std::tgamma(static_cast<double>(n) - size) /
                 std::tgamma(static_cast<double>(n) + 1);
      for (std::size_t j = 0; j < n; ++j) {
        if ((before >> j & 1) != 0) p *= 1 - odds[j];
      }
      distribution[r] += p;
    }
  }
  return distribution;
}

Verdict judge(const std::vector<double>& distribution, const std::function<std::size_t()>& sampler,
              std::size_t samples = kSamples) {
  std::vector<Cell> cells;
  for (const double p : distribution) cells.push_back({p, 0});
  for (std::size_t i = 0; i < samples; ++i) ++cells[sampler()].observed;
  return testing::test_cells(cells);
}

std::vector<double> costs_of(const std::vector<CostRun>& runs) {
  std::vector<double> costs;
  for (const CostRun& run : runs) {
    for (std::uint64_t j = 0; j < run.size; ++j) {
      costs.push_back(static_cast<double>(run.cost) + static_cast<double>(run.slope) * static_cast<double>(j));
    }
  }
  return costs;
}

TEST(ExponentialChoice, HasTheDistributionOfAKnownCase) {
  const auto distribution = exponential_distribution(costs_of(kFour), 2);
  const double known[] = {0.5376753982, 0.326116614, 0.1199715977, 0.01623639016};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(distribution[i], known[i], 1e-10);
  SeededBits bits(1);
  const Verdict verdict = judge(distribution, [&] { return choose_exponential(bits, kFour, {2, 1}); });
  EXPECT_TRUE(verdict) << verdict.text;
}

TEST(ExponentialChoice, HasItsDistributionForRunsWithSlopesOfEitherSign) {
  const std::vector<std::vector<CostRun>> cases{
      {{3, 5}, {4, 0, 2}, {5, 9, -3}, {1, 1}, {7, 40, 0}},
      {{200, 0, 1}},
      {{100, 300, -3}, {1, 0}, {150, 3, 2}},
      {{2, -4, 8}, {2, 4, -8}},
  };
  std::uint64_t seed = 10;
  for (const auto& runs : cases) {
    for (const CostScale scale : {CostScale{1, 1}, CostScale{7, 2}, CostScale{1, 5}, CostScale{1u << 20, 3u << 13}}) {
      SeededBits bits(++seed);
      const double real_scale = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
      const Verdict verdict = judge(
          exponential_distribution(costs_of(runs), real_scale), [&] { return choose_exponential(bits, runs, scale); },
          60'000);
      EXPECT_TRUE(verdict) << "scale " << real_scale << ", seed " << seed << ": " << verdict.text;
    }
  }
}

TEST(ExponentialChoice, HugeRunsBelowTheLastStepKeepTheirWeight) {
  // exp(-44) 2^61 = 0.1794: far beyond 62 halvings, yet chosen now and then.
  const std::vector<CostRun> runs{{std::uint64_t{1} << 61, 44}, {1, 0}, {std::uint64_t{1} << 60, 45}};
  const double big = std::exp(-44) * 0x1p61, small = std::exp(-45) * 0x1p60, sum = 1 + big + small;
  SeededBits bits(3);
  std::uint64_t upper_half = 0, in_first = 0;
  const Verdict verdict = judge({big / sum, 1 / sum, small / sum}, [&]() -> std::size_t {
    const std::uint64_t chosen = choose_exponential(bits, runs, {1, 1});
    if (chosen >= (std::uint64_t{1} << 61)) return chosen == (std::uint64_t{1} << 61) ? 1 : 2;
    ++in_first;
    upper_half += chosen >> 60;
    return 0;
  });
  EXPECT_TRUE(verdict) << verdict.text;
  const Verdict halves = testing::test_event(upper_half, in_first, 0.5);
  EXPECT_TRUE(halves) << halves.text;
}

TEST(ExponentialChoice, ASteepRunOfManyCandidatesIsAGeometricDistribution) {
  const std::vector<CostRun> runs{{std::uint64_t{1} << 31, 0, 1}};
  const double scale = 1e6, q = std::exp(-1 / scale);
  SeededBits bits(4);
  std::vector<std::int64_t> samples(100'000), edges;
  for (auto& sample : samples) sample = static_cast<std::int64_t>(choose_exponential(bits, runs, {1'000'000, 1}));
  for (int i = 1; i < 20; ++i) edges.push_back(i * 250'000);
  const Verdict verdict = testing::test_cells(testing::count_between(
      samples, edges, [&](std::int64_t edge) { return 1 - std::pow(q, static_cast<double>(edge)); }));
  EXPECT_TRUE(verdict) << verdict.text;
}

TEST(ExponentialChoice, TheTestSeesAScaleOnePercentOffAndALostTail) {
  SeededBits bits(5);
  const auto distribution = exponential_distribution(costs_of(kFour), 2);
  const auto off = judge(distribution, [&] { return choose_exponential(bits, kFour, {202, 100}); }, 10 * kSamples);
  EXPECT_FALSE(off) << off.text;
  const auto cut = judge(distribution, [&] {
    const auto chosen = choose_exponential(bits, kFour, {2, 1});
    return chosen == 3 && bernoulli(bits, 1, 10) ? 0 : chosen;
  });
  EXPECT_FALSE(cut) << cut.text;
}

TEST(PermuteAndFlip, HasTheDistributionOfAKnownCase) {
  const auto distribution = permute_and_flip_distribution(costs_of(kFour), 2);
  const double known[] = {0.6225121619, 0.2779974071, 0.08822677265, 0.01126365835};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(distribution[i], known[i], 1e-10);
  SeededBits bits(6);
  const Verdict verdict = judge(distribution, [&] { return permute_and_flip(bits, kFour, {2, 1}); });
  EXPECT_TRUE(verdict) << verdict.text;
}

TEST(PermuteAndFlip, HasItsDistributionForRuns) {
  const std::vector<std::vector<CostRun>> cases{
      {{2, 1}, {1, 0}, {3, 2}, {4, 5}}, {{5, 0}}, {{6, 0}, {6, 1}}, {{1, 0}, {11, 4}}, {{1, 3}}};
  std::uint64_t seed = 20;
  for (const auto& runs : cases) {
    for (const CostScale scale : {CostScale{1, 1}, CostScale{7, 2}, CostScale{40, 1}}) {
      SeededBits bits(++seed);
      const double real_scale = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
      const Verdict verdict = judge(
          permute_and_flip_distribution(costs_of(runs), real_scale),
          [&] { return permute_and_flip(bits, runs, scale); }, 60'000);
      EXPECT_TRUE(verdict) << "scale " << real_scale << ", seed " << seed << ": " << verdict.text;
    }
  }
}

// One best candidate against m others of acceptance odds p: the best wins with probability
// integral of (1 - p t)^m = (1 - (1 - p)^(m + 1)) / (p (m + 1)).
TEST(PermuteAndFlip, HasItsDistributionForHugeRuns) {
  const std::uint64_t others = std::uint64_t{1} << 40;
  const double p = std::exp(-27), count = 0x1p40;
  const double best = -std::expm1((count + 1) * std::log1p(-p)) / (p * (count + 1));
  SeededBits bits(7);
  const std::vector<CostRun> runs{{others, 27}, {1, 0}};
  const Verdict verdict =
      judge({best, 1 - best}, [&] { return permute_and_flip(bits, runs, {1, 1}) == others ? 0u : 1u; });
  EXPECT_TRUE(verdict) << verdict.text;
}

TEST(PermuteAndFlip, TheTestTellsItFromTheExponentialMechanism) {
  SeededBits bits(8);
  const auto distribution = permute_and_flip_distribution(costs_of(kFour), 2);
  EXPECT_FALSE(judge(distribution, [&] { return choose_exponential(bits, kFour, {2, 1}); }));
}

TEST(ExactCoin, DecidesAtTheEdgeFromLaterBits) {
  // 1/3 = 0.0101...: with the first 64 digits equal, the next word decides.
  const std::uint64_t third = 0x5555555555555555;
  const auto flip = [&](std::uint64_t next) {
    testing::ScriptedBits bits({next, next});
    return detail::decide_exactly(
        bits, third,
        [](detail::Real& lower, detail::Real& upper) {
          mpfr_set_ui(lower.get(), 1, MPFR_RNDN);
          mpfr_div_ui(lower.get(), lower.get(), 3, MPFR_RNDD);
          mpfr_set_ui(upper.get(), 1, MPFR_RNDN);
          mpfr_div_ui(upper.get(), upper.get(), 3, MPFR_RNDU);
        },
        [] {});
  };
  EXPECT_TRUE(flip(third - 1));
  EXPECT_FALSE(flip(third + 1));
  EXPECT_EQ(detail::decide_in_double(third, 1.0 / 3, 0x1p-40), std::nullopt);
  EXPECT_EQ(detail::decide_in_double(third - (1ull << 40), 1.0 / 3, 0x1p-40), true);
  EXPECT_EQ(detail::decide_in_double(third + (1ull << 40), 1.0 / 3, 0x1p-40), false);
}

// Interval arithmetic takes every decision that doubles take, from the same bits.
TEST(ExactCoin, ShortcutsDoNotChangeTheSample) {
  const std::vector<CostRun> flat{{3, 5}, {1u << 30, 20}, {1, 0}, {7, 2}, {2, 300}};
  const std::vector<CostRun> sloped{{30, 5, -1}, {1u << 30, 2, 1}, {1, 0}};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SeededBits fast(seed), slow(seed), fast_flip(seed), slow_flip(seed);
    const auto& runs = seed % 2 == 0 ? flat : sloped;
    EXPECT_EQ(detail::CostTable(runs, {7, 3}).draw(fast).number,
              detail::CostTable(runs, {7, 3}, false).draw(slow).number);
    EXPECT_EQ(fast.next(), slow.next()) << "another number of bits was used";
    EXPECT_EQ(detail::permute_and_flip(fast_flip, flat, {7, 3}, true),
              detail::permute_and_flip(slow_flip, flat, {7, 3}, false));
    EXPECT_EQ(fast_flip.next(), slow_flip.next()) << "another number of bits was used";
  }
}

TEST(Selection, RefusesWhatItCannotServe) {
  SeededBits bits(9);
  EXPECT_THROW(choose_exponential(bits, kFour, {0, 1}), ArgumentError);
  EXPECT_THROW(choose_exponential(bits, kFour, {1, 0}), ArgumentError);
  EXPECT_THROW(choose_exponential(bits, kFour, {std::uint64_t{1} << 62, 1}), ArgumentError);
  EXPECT_THROW(choose_exponential(bits, {}, {1, 1}), InternalError);
  const std::vector<CostRun> empty{{0, 1}}, many{{kMostCandidates, 1}, {1, 1}}, dear{{1, kLargestCost + 1}},
      steep{{1000, 0, kLargestCost / 100}}, slope{{2, 0, 1}};
  EXPECT_THROW(choose_exponential(bits, empty, {1, 1}), InternalError);
  EXPECT_THROW(choose_exponential(bits, many, {1, 1}), InternalError);
  EXPECT_THROW(choose_exponential(bits, dear, {1, 1}), InternalError);
  EXPECT_THROW(choose_exponential(bits, steep, {1, 1}), InternalError);
  EXPECT_THROW(permute_and_flip(bits, slope, {1, 1}), InternalError);
}

}  // namespace
}  // namespace dperm::random
