// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_location/location_interval.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <random>

#include "dperm/methods/algorithms.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/random/bits.hpp"
#include "tests/support/datasets.hpp"

namespace dperm::methods {
namespace {

// Laplace noise plus a normal error, by simulation: the quantile that the closed form promises.
TEST(LocationInterval, AMeansHalfWidthIsTheQuantileOfNoiseAndDrawing) {
  std::mt19937_64 draw(1);
  std::normal_distribution<double> normal;
  std::exponential_distribution<double> exponential;
  for (const double epsilon : {0.02, 0.2, 0.45, 0.9, 2.0}) {
    const std::size_t rows = 10'000;
    const auto scale = static_cast<std::uint64_t>(std::llround(0x1p31 / epsilon));
    const privacy::DiscreteLaplaceEvent noise{std::uint64_t{1} << 31, scale, 1};
    const ReleasedInterval interval = mean_interval(0, noise, rows, 0.95);
    const double b = static_cast<double>(scale) / 0x1p30 / static_cast<double>(rows), s = 0.01;
    int outside = 0;
    const int trials = 200'000;
    for (int i = 0; i < trials; ++i) {
      const double laplace = b * (exponential(draw) - exponential(draw));
      if (std::abs(laplace + s * normal(draw)) > interval.upper) ++outside;
    }
    // 5% of 200,000 with a standard deviation of 97: five of them.
    EXPECT_NEAR(outside, 10'000, 500) << epsilon;
  }
  const ReleasedInterval gaussian = mean_interval(0, privacy::GaussianEvent{1, 0x1p30}, 10'000, 0.95);
  EXPECT_NEAR(gaussian.upper, 1.959964 * std::hypot(1e-4, 0.01), 1e-7);
  // Near a bound the spread is small; and never beyond the bounds.
  EXPECT_LT(mean_interval(0.99, privacy::GaussianEvent{1, 1}, 10'000, 0.95).upper, 1);
  EXPECT_EQ(mean_interval(1, privacy::GaussianEvent{1, 0x1p40}, 10'000, 0.95).upper, 1);
}

TEST(LocationInterval, RanksAreOutwardOfTheBinomialOnesByTheMargin) {
  const EndRanks ends = end_ranks(0.5, 1000, 0.95, 0.001, 2);
  // Binomial(1000, 1/2): P(X <= 467) = 0.0199 <= 0.02 < P(X <= 468).
  const boost::math::binomial ranks(1000, 0.5);
  EXPECT_LE(boost::math::cdf(ranks, static_cast<double>(ends.doubled_lower) / 2), 0.02);
  EXPECT_NEAR(static_cast<double>(ends.doubled_lower) / 2, 467, 2);
  EXPECT_EQ(ends.doubled_lower + ends.doubled_upper, 2000);
  const EndRanks noisy = end_ranks(0.5, 1000, 0.95, 4, std::exp(10.0));
  EXPECT_NEAR(static_cast<double>(ends.doubled_lower - noisy.doubled_lower) / 2, 2 * (10 - std::log(0.005)), 1.1);
  EXPECT_FALSE(end_ranks(0.01, 100, 0.95, 10, 1e9).has_lower);
  // The normal distribution takes over where it agrees.
  const EndRanks below = end_ranks(0.3, 1'000'000, 0.95, 1, 2), above = end_ranks(0.3, 1'000'001, 0.95, 1, 2);
  EXPECT_NEAR(static_cast<double>(below.doubled_lower), static_cast<double>(above.doubled_lower), 16);
  EXPECT_LE(above.doubled_lower, below.doubled_lower + 2);
}

Task quantile_of(std::size_t rows, double level, double epsilon) {
  Task task{{}, {rows, 1, 1}, {epsilon, 0}};
  task.problem.loss.kind = loss::LossKind::pinball;
  task.problem.loss.quantile = level;
  return task;
}

TEST(LocationInterval, TheIntervalIsPlannedAndRecordedWithinTheBudget) {
  const Plan plan = plan_for(quantile_of(2000, 0.5, 1), ExponentialLocationOptions{.interval = 0.95});
  ASSERT_EQ(plan.events.size(), 2u);
  EXPECT_EQ(plan.events[1].repetitions, 2);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GE(plan.guarantee.epsilon, 1 - 1e-9);
  EXPECT_TRUE(plan.guarantee.pure);
}

// Rows drawn from a skewed population: at least 95% of 400 intervals hold its quantile. Fewer than 366 would have
// probability 3e-3 at exactly 95%, and the ranks are chosen with room to spare.
TEST(LocationInterval, CoversTheQuantileAsOftenAsItSays) {
  constexpr int kTrials = 400;
  constexpr std::size_t kRows = 3000;
  for (const double level : {0.5, 0.9}) {
    const Plan plan = plan_for(quantile_of(kRows, level, 2), ExponentialLocationOptions{.interval = 0.95});
    // Targets u^2 of uniform u: the quantile of level q is q^2.
    const double truth = level * level;
    std::mt19937_64 draw(3);
    std::uniform_real_distribution<double> uniform;
    int held = 0;
    double width = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<std::int32_t> targets;
      for (std::size_t i = 0; i < kRows; ++i) {
        const double u = uniform(draw);
        targets.push_back(static_cast<std::int32_t>(u * u * schema::kTargetOne));
      }
      random::SeededBits bits(static_cast<std::uint64_t>(trial));
      privacy::Curator curator(bits);
      const FitResult result = fit(plan, tests::dataset_of({{}, {}, {}, std::move(targets)}), curator, {{1}, {}});
      ASSERT_TRUE(result.interval);
      if (result.interval->lower <= truth && truth <= result.interval->upper) ++held;
      width += (result.interval->upper - result.interval->lower) / kTrials;
    }
    EXPECT_GE(held, 366) << level;
    EXPECT_LT(width, 0.3) << level;
  }
}

}  // namespace
}  // namespace dperm::methods
