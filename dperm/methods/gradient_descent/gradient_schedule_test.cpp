// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/gradient_descent/gradient_schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dperm::methods {
namespace {

// The reference cases use n = 10^4 rows, d = 10 weights, G = R = 1, epsilon 1, delta 1e-5: mu = 0.268051123211 and the
// noise of T steps has squared norm T d (2/(n mu))^2.
double noise_square_of_one() { return 10 * std::pow(2 / (1e4 * 0.268051123211), 2); }

TEST(GradientSchedule, SmoothBoundsMatchIndependentValues) {
  const DescentShape shape{1, 1, 0.25, 0};
  const auto bound = [&](double steps, double step_size) {
    DescentRule rule{.steps = static_cast<std::size_t>(steps), .step_size = step_size};
    rule.averaged = rule.steps;
    return descent_risk(shape, rule, steps * noise_square_of_one());
  };
  EXPECT_NEAR(bound(50, 2.72), 0.00485947, 2e-6);
  EXPECT_NEAR(bound(100, 2.06), 0.00360946, 2e-6);
  EXPECT_NEAR(bound(400, 0.84), 0.00267197, 2e-6);
  EXPECT_NEAR(best_step_size(shape, 100, 100 * noise_square_of_one()), 2.06, 0.01);
}

TEST(GradientSchedule, KinkedBoundMatchesTheClosedForm) {
  // n = 1000: at T = 1797 the bound is 0.0333644649748.
  const DescentShape shape{1, 1, INFINITY, 0};
  const double noise_square = 1797 * 10 * std::pow(2 / (1e3 * 0.268051123211), 2);
  DescentRule rule{.steps = 1797, .step_size = best_step_size(shape, 1797, noise_square)};
  rule.averaged = rule.steps;
  EXPECT_NEAR(descent_risk(shape, rule, noise_square), 0.0333644649748, 1e-9);
}

TEST(GradientSchedule, StronglyConvexBoundMatchesAnIndependentValue) {
  // lambda = 0.1, T = 1000: 2 (G^2 + d s^2)/(lambda (T + 1)).
  const DescentShape shape{1, 1, 0.25, 0.1};
  const DescentRule rule{.schedule = StepSchedule::strongly_convex, .steps = 1000};
  EXPECT_NEAR(descent_risk(shape, rule, 1000 * noise_square_of_one()), 0.0200912496495, 1e-9);
}

TEST(GradientSchedule, WeightsSumToTheirTotal) {
  for (const auto schedule : {StepSchedule::constant, StepSchedule::strongly_convex}) {
    DescentRule rule{.schedule = schedule, .steps = 37, .averaged = 11};
    double sum = 0;
    for (std::size_t t = 1; t <= rule.steps; ++t) sum += rule.weight(t);
    EXPECT_EQ(sum, rule.total_weight());
  }
}

TEST(GradientSchedule, NothingIsPromisedWhereNothingIsProved) {
  const DescentShape shape{1, 1, 0.25, 0};
  EXPECT_TRUE(std::isinf(descent_risk(shape, {.steps = 10, .step_size = 1, .averaged = 10, .momentum = 0.9}, 1e-6)));
  EXPECT_TRUE(std::isinf(descent_risk(shape, {.steps = 10, .step_size = 4, .averaged = 10}, 1e-6)));
  EXPECT_TRUE(std::isinf(descent_risk(shape, {.schedule = StepSchedule::strongly_convex, .steps = 10}, 1e-6)));
}

}  // namespace
}  // namespace dperm::methods
