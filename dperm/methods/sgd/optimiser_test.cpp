// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/sgd/optimiser.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dperm::methods {
namespace {

OptimiserSettings settings(UpdateRule rule, std::size_t steps, std::size_t averaged = 1) {
  OptimiserSettings result;
  result.rule = rule;
  result.learning_rate = 0.1;
  result.steps = steps;
  result.averaged = averaged;
  return result;
}

TEST(Optimiser, PlainStepsFollowTheScaledSumAndThePenalty) {
  OptimiserSettings plain = settings(UpdateRule::plain, 2);
  plain.penalty = 0.5;
  Optimiser optimiser(plain, {1, -2});
  optimiser.advance(std::vector<std::int64_t>{40, 0}, 0.25);
  EXPECT_DOUBLE_EQ(optimiser.weights()[0], 1 - 0.1 * (10 + 0.5));
  EXPECT_DOUBLE_EQ(optimiser.weights()[1], -2 + 0.1 * 0.5 * 2);
}

TEST(Optimiser, EffectiveRateIsWhatALastingGradientMovesAWeightBy) {
  for (const UpdateRule rule : {UpdateRule::plain, UpdateRule::momentum, UpdateRule::adam}) {
    const OptimiserSettings rated = settings(rule, 2000);
    Optimiser optimiser(rated, {0});
    for (int t = 0; t < 2000; ++t) optimiser.advance(std::vector<std::int64_t>{3}, 1);
    const double before = optimiser.weights()[0];
    optimiser.advance(std::vector<std::int64_t>{3}, 1);
    EXPECT_NEAR(before - optimiser.weights()[0], 3 * effective_rate(rated, 3), 1e-6) << static_cast<int>(rule);
  }
}

TEST(Optimiser, MomentumAddsUpAConstantGradient) {
  Optimiser optimiser(settings(UpdateRule::momentum, 3), {0});
  for (int t = 0; t < 3; ++t) optimiser.advance(std::vector<std::int64_t>{1}, 1);
  EXPECT_NEAR(optimiser.weights()[0], -0.1 * (1 + 1.9 + 2.71), 1e-12);
}

// Two steps with gradients 1 and -3, from the formulas of [KB15] worked out by hand.
TEST(Optimiser, AdamIsAdam) {
  Optimiser optimiser(settings(UpdateRule::adam, 2), {0});
  optimiser.advance(std::vector<std::int64_t>{1}, 1);
  EXPECT_NEAR(optimiser.weights()[0], -0.1, 1e-8) << "the first step is the learning rate, whatever the gradient";
  optimiser.advance(std::vector<std::int64_t>{-3}, 1);
  const double first = (0.9 * 0.1 - 0.3) / (1 - 0.81), second = (0.999 * 0.001 + 0.009) / (1 - 0.998001);
  EXPECT_NEAR(optimiser.weights()[0], -0.1 - 0.1 * first / std::sqrt(second), 1e-8);
}

TEST(Optimiser, TheResultIsTheMeanOfTheLastIterates) {
  Optimiser optimiser(settings(UpdateRule::plain, 4, 2), {0});
  for (int t = 0; t < 4; ++t) optimiser.advance(std::vector<std::int64_t>{-10}, 1);
  EXPECT_DOUBLE_EQ(optimiser.weights()[0], 4);
  EXPECT_DOUBLE_EQ(optimiser.result()[0], 3.5);
}

TEST(Optimiser, OrOfThePointsWhereTheLastGradientsWereTaken) {
  OptimiserSettings before = settings(UpdateRule::plain, 4, 3);
  before.average_before = true;
  Optimiser optimiser(before, {5});
  for (int t = 0; t < 4; ++t) optimiser.advance(std::vector<std::int64_t>{-10}, 1);
  EXPECT_DOUBLE_EQ(optimiser.weights()[0], 9);
  EXPECT_DOUBLE_EQ(optimiser.result()[0], 7) << "the mean of 6, 7 and 8";
}

TEST(Optimiser, EveryPointLiesInTheFeasibleSet) {
  OptimiserSettings ball = settings(UpdateRule::plain, 3, 3);
  ball.feasible_set = {loss::SetKind::ball, 2};
  Optimiser optimiser(ball, {30, 40});
  EXPECT_NEAR(std::hypot(optimiser.weights()[0], optimiser.weights()[1]), 2, 1e-12);
  for (int t = 0; t < 3; ++t) {
    optimiser.advance(std::vector<std::int64_t>{-1000, 2000}, 1);
    EXPECT_LE(std::hypot(optimiser.weights()[0], optimiser.weights()[1]), 2);
  }
  EXPECT_LE(std::hypot(optimiser.result()[0], optimiser.result()[1]), 2);
}

TEST(Optimiser, HugeNoiseDoesNotLeaveTheNumbers) {
  OptimiserSettings wild = settings(UpdateRule::momentum, 100);
  wild.learning_rate = 1e12;
  Optimiser optimiser(wild, {0});
  for (int t = 0; t < 100; ++t) optimiser.advance(std::vector<std::int64_t>{std::int64_t{1} << 62}, 1e6);
  EXPECT_TRUE(std::isfinite(optimiser.result()[0]));
}

// w_t = -t for a gradient of 1: sum t w_t / sum t = -(2 steps + 1) / 3.
TEST(Optimiser, ARisingAverageWeighsIteratesByTheirStep) {
  OptimiserSettings settings;
  settings.learning_rate = 1;
  settings.steps = settings.averaged = 10;
  settings.rising_average = true;
  Optimiser optimiser(settings, {0.0});
  for (int t = 0; t < 10; ++t) optimiser.advance(std::vector<std::int64_t>{1}, 1);
  EXPECT_NEAR(optimiser.result()[0], -7, 1e-12);
}

}  // namespace
}  // namespace dperm::methods
