// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/generalisation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dperm/core/error.hpp"

namespace dperm::planner {
namespace {

// Linear losses -G <w, x> with x = +-e_j: the largest deviation over the ball is G R times the norm of the mean of x.
double simulated_deviation(std::mt19937_64& bits, int rows, int dimension, double lipschitz, double radius) {
  std::vector<double> mean(static_cast<std::size_t>(dimension), 0.0);
  for (int i = 0; i < rows; ++i) {
    const std::uint64_t word = bits();
    mean[word % static_cast<std::uint64_t>(dimension)] += (word >> 63 ? 1.0 : -1.0) / rows;
  }
  double square = 0;
  for (const double each : mean) square += each * each;
  return lipschitz * radius * std::sqrt(square);
}

TEST(Generalisation, DeviationsStayBelowTheBoundAndWithinAFactorOfThree) {
  std::mt19937_64 bits(3);
  constexpr int kRuns = 400;
  const double expected = expected_deviation(500, 2, 3);
  double sum = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double deviation = simulated_deviation(bits, 500, 20, 2, 3);
    sum += deviation / kRuns;
  }
  EXPECT_LE(sum, expected);
  EXPECT_GE(sum, expected / 3);
}

TEST(Generalisation, AddsToTheBoundOfPlansThatKeepToASet) {
  methods::Task task;
  task.facts = {10000, 20, 9};
  task.budget = {1, 1e-6};
  task.problem.feasible_set = {loss::SetKind::ball, 6};
  const methods::Plan plan = methods::method_named("gradient-descent").plan(task, {});
  // The logistic slope is at most 1/(1 + e^-6) there.
  EXPECT_NEAR(*population_excess_risk(plan) - plan.utility.excess_risk, 0.12 / (1 + std::exp(-6)), 1e-9);
  task.problem.feasible_set = {};
  EXPECT_FALSE(population_excess_risk(methods::method_named("objective-perturbation").plan(task, {})));
}

TEST(Generalisation, RefusesNonsense) {
  EXPECT_THROW(expected_deviation(0, 1, 1), ArgumentError);
  EXPECT_THROW(expected_deviation(10, std::nan(""), 1), ArgumentError);
}

}  // namespace
}  // namespace dperm::planner
