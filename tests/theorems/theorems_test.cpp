// SPDX-License-Identifier: Apache-2.0
// Every utility theorem on data that attains its rate. With DPERM_THEOREMS=folder the measured points are written there
// as JSON; tools/draw_theorems.py draws them.
#include "tests/theorems/theorems.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace dperm::tests {
namespace {

void expect_to_hold(const Theorem& theorem) {
  const Result result = examine(theorem);
  if (const char* folder = std::getenv("DPERM_THEOREMS")) write_points(theorem, result, folder);
  for (const std::string& failure : result.failures) ADD_FAILURE() << failure;
}

TEST(Theorems, ObjectivePerturbation) { expect_to_hold(objective_perturbation()); }
TEST(Theorems, ObjectivePerturbationForPureEpsilon) { expect_to_hold(pure_objective_perturbation()); }
TEST(Theorems, OutputPerturbation) { expect_to_hold(output_perturbation()); }
TEST(Theorems, GradientDescentOnALipschitzLoss) { expect_to_hold(lipschitz_descent()); }
TEST(Theorems, GradientDescentOnASmoothLoss) { expect_to_hold(smooth_descent()); }
TEST(Theorems, GradientDescentOnAStronglyConvexLoss) { expect_to_hold(strongly_convex_descent()); }
TEST(Theorems, StepsOnSamples) { expect_to_hold(steps_on_samples()); }
TEST(Theorems, SufficientStatistics) { expect_to_hold(sufficient_statistics()); }
TEST(Theorems, RegularisedExponentialMechanism) { expect_to_hold(regularised_exponential()); }
TEST(Theorems, UniformConvergenceInABall) { expect_to_hold(uniform_convergence()); }
TEST(Theorems, ExponentialMechanismOnABall) { expect_to_hold(exponential_on_a_ball()); }
TEST(Theorems, ExponentialMechanismForAMedian) { expect_to_hold(exponential_median()); }
TEST(Theorems, MedianByItsRank) { expect_to_hold(rank_median()); }
TEST(Theorems, LaplaceMean) { expect_to_hold(laplace_mean()); }
TEST(Theorems, BestRuleOfAFiniteClass) { expect_to_hold(best_of_a_class()); }
TEST(Theorems, PrivateLearningOfAnyDistribution) { expect_to_hold(agnostic_learning()); }
TEST(Theorems, PrivateLearningWhereARuleIsRight) { expect_to_hold(realisable_learning()); }

}  // namespace
}  // namespace dperm::tests
