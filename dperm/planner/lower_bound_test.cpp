// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/lower_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/planner/compare.hpp"

namespace dperm::planner {
namespace {

double constant(double mu) { return gaussian_floor(1e6, 1, 1, 1, mu) * 1e6 * mu; }

TEST(LowerBound, ConstantsMatchIndependentValues) {
  EXPECT_NEAR(constant(0.268051), 0.577808, 1e-6);
  EXPECT_NEAR(constant(1), 0.5483, 1e-4);
  EXPECT_NEAR(constant(1.666), 0.5620, 1e-4);
  EXPECT_NEAR(constant(3), 0.3121, 1e-4);
  EXPECT_NEAR(constant(5), 0.0476, 1e-4);
  EXPECT_NEAR(constant(1e-3), 0.577911592532, 3e-6);  // the reference is the value at A = 1.36, next to the maximum
  // n = 1000, d = 10, epsilon 1, delta 1e-5.
  EXPECT_NEAR(gaussian_floor(1000, 10, 1, 1, 0.268051123211), 0.00681656956604, 1e-8);
}

TEST(LowerBound, PureConstantsMatchIndependentValues) {
  const auto pure = [](double epsilon) { return pure_floor(1e6, 1, 1, 1, epsilon) * 1e6 * epsilon; };
  EXPECT_NEAR(pure(0.1), 0.5568, 1e-4);
  EXPECT_NEAR(pure(1), 0.5379, 1e-4);
  EXPECT_NEAR(pure(2), 0.4768, 1e-4);
  // Many weights: the packing bound takes over, 0.0133479332111 (d - 1) G R / (n epsilon) up to the floor.
  EXPECT_NEAR(pure_floor(1e9, 10001, 1, 1, 1) * 1e9 / 1e4, 0.0133479, 1e-4);
}

TEST(LowerBound, NoMethodPromisesLess) {
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    for (const double delta : {0.0, 1e-6}) {
      methods::Task task;
      task.facts = {10000, 30, 10};
      task.budget = {epsilon, delta};
      for (const Alternative& each : compare(task, methods::planners("auto", {}), population_of(task.facts))) {
        if (!each.plan) continue;
        EXPECT_GE(each.plan->utility.excess_risk, excess_risk_floor(task)) << each.method;
      }
    }
  }
}

TEST(LowerBound, TooFewRowsForEvenOneRecordAWeightGiveNoFloor) { EXPECT_EQ(gaussian_floor(5, 10, 1, 1, 0.2), 0); }

}  // namespace
}  // namespace dperm::planner
