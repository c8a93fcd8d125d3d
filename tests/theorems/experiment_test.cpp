// SPDX-License-Identifier: Apache-2.0
// The harness must pass what is right and catch what is wrong: too much noise, an error that more rows do not remove,
// a promise kept too seldom.
#include "tests/theorems/experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/theorems/theorems.hpp"

namespace dperm::tests {
namespace {

// Excess risk `size` / (n epsilon) on average, exponentially distributed, plus a constant.
Theorem made_up(double size, double floor, double bound) {
  Theorem theorem;
  theorem.name = "made_up";
  const Point base{1000, 1};
  theorem.sweeps = {rows_sweep(-1, base, {500, 1000, 2000, 4000}), epsilon_sweep(-1, base, {0.25, 0.5, 1, 2})};
  theorem.at = [=](const Point& point) {
    const double unit = 1 / (point.rows * point.epsilon);
    return Trial{bound * unit, [=](std::uint64_t seed) {
                   std::mt19937_64 random(seed);
                   return floor + std::exponential_distribution<>(1 / (size * unit))(random);
                 }};
  };
  return theorem;
}

TEST(Experiment, FitsAnExactPowerExactly) {
  std::vector<Measured> points;
  for (const double x : {1.0, 2.0, 5.0}) points.push_back({x, 3 * std::pow(x, -1.5), 0.1 * std::pow(x, -1.5), 0});
  const Slope slope = log_log_slope(points);
  EXPECT_NEAR(slope.value, -1.5, 1e-12);
  // Relative errors of 1/30 at ln 1, ln 2, ln 5: (1/30) / sqrt(sum of squares about the mean), by hand.
  EXPECT_NEAR(slope.error, 0.0291966, 1e-7);
}

TEST(Experiment, AllowsTheStudentQuantileOfItsFalseAlarmRate) {
  EXPECT_NEAR(allowed_errors(200), 6.416096, 1e-6);     // scipy.stats.t.isf(5e-10, 199)
  EXPECT_NEAR(allowed_errors(1000000), 6.10941, 1e-4);  // the normal quantile
}

TEST(Experiment, PassesATheoremThatHolds) { EXPECT_TRUE(examine(made_up(1, 0, 2)).failures.empty()); }

TEST(Experiment, CatchesTwiceTheNoise) {
  const Result result = examine(made_up(2, 0, 2));
  EXPECT_EQ(result.failures.size(), 8u) << "every point is above what the bound allows";
}

TEST(Experiment, CatchesAnErrorThatMoreRowsDoNotRemove) {
  // Below the bound everywhere, but constant.
  const Result result = examine(made_up(1, 0.0005, 20));
  ASSERT_EQ(result.failures.size(), 2u);
  EXPECT_NE(result.failures[0].find("slope in rows n"), std::string::npos);
  EXPECT_NE(result.failures[1].find("slope in epsilon"), std::string::npos);
}

TEST(Experiment, CatchesABoundThatIsNotTheTheorems) {
  Theorem theorem = made_up(1, 0, 2);
  theorem.sweeps[0].exponent = -0.5;
  const Result result = examine(theorem);
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_NE(result.failures[0].find("the theorem says -0.5"), std::string::npos);
}

TEST(Experiment, CatchesAPromiseKeptTooSeldom) {
  Theorem theorem = made_up(1, 0, std::log(4));  // exceeded by a quarter of the runs
  theorem.promise = Promise::with_probability;
  theorem.failure = 0.25;
  EXPECT_TRUE(examine(theorem).failures.empty());
  theorem.failure = 0.05;
  EXPECT_EQ(examine(theorem).failures.size(), 8u);
}

TEST(Experiment, CatchesARiskThatIsNaN) {
  Theorem theorem = made_up(1, std::nan(""), 2);
  EXPECT_FALSE(examine(theorem).failures.empty());
  theorem.promise = Promise::with_probability;
  theorem.failure = 0.05;
  EXPECT_FALSE(examine(theorem).failures.empty());
}

// Real methods run at half the epsilon that they promise.
Theorem at_half_epsilon(Theorem theorem) {
  const auto right = theorem.at;
  theorem.at = [right](const Point& point) {
    Point half = point;
    half.epsilon /= 2;
    return Trial{right(point).bound, right(half).excess};
  };
  return theorem;
}

// As if something in the method erred by so much whatever the data: still below the bound everywhere.
Theorem with_constant_error(Theorem theorem, double error) {
  const auto right = theorem.at;
  theorem.at = [right, error](const Point& point) {
    const Trial trial = right(point);
    return Trial{trial.bound, [=](std::uint64_t seed) { return trial.excess(seed) + error; }};
  };
  return theorem;
}

TEST(Experiment, CatchesAConstantErrorInARealMechanism) {
  const Result result = examine(with_constant_error(rank_median(), 0.002));
  ASSERT_EQ(result.failures.size(), 2u) << "the slopes, not the bound";
  for (const std::string& failure : result.failures) EXPECT_NE(failure.find("slope in "), std::string::npos) << failure;
}

TEST(Experiment, CatchesARealMechanismWithTwiceTheNoise) {
  Theorem mean = laplace_mean();
  mean.runs = 1000;
  EXPECT_FALSE(examine(at_half_epsilon(mean)).failures.empty());
  EXPECT_FALSE(examine(at_half_epsilon(exponential_median())).failures.empty());
}

}  // namespace
}  // namespace dperm::tests
