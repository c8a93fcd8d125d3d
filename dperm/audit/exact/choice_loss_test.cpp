// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/exact/choice_loss.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dperm::audit {
namespace {

// By hand: costs 0 1 2 | 5 5 against 1 1 1 1 1 differ by -1 0 1 4 4.
TEST(AuditChoiceLoss, TheRangeOfCostsIsThatOfEveryCandidate) {
  EXPECT_EQ(cost_range({{3, 0, 1}, {2, 5, 0}}, {{5, 1, 0}}), 5);
  EXPECT_EQ(cost_range({{4, 7, 0}}, {{1, 7, 0}, {3, 7, 0}}), 0);
}

// Two candidates with costs 0 1 and 1 0, scale 1: probabilities e/(1+e) and 1/(1+e), a factor of e.
TEST(AuditChoiceLoss, TheLossIsThatOfTheProbabilities) {
  EXPECT_NEAR(choice_loss({{1, 0}, {1, 1}}, {{1, 1}, {1, 0}}, 1), 1, 1e-14);
  // Costs 0 1 2 as one run against three equal ones: P(2) = e^-2/(1 + e^-1 + e^-2) against 1/3.
  EXPECT_NEAR(choice_loss({{3, 0, 1}}, {{3, 9, 0}}, 1),
              std::fabs(std::log(std::exp(-2.0) / (1 + std::exp(-1.0) + std::exp(-2.0)) * 3)), 1e-14);
}

// Two candidates, costs 0 1 and 1 0, scale 1: the first one is chosen with probability e/(1+e) = 0.7311 and 0.2689.
// With so many runs that rates are known exactly the test on it shows ln(0.7311 / 0.2689) = 1; with 100 runs each rate
// gives way by 3.3 * 0.0443 + 0.076 = 0.2223: ln(0.5088 / 0.4912) = 0.0352.
TEST(AuditChoiceLoss, ThePowerIsThatOfTheBestTest) {
  EXPECT_NEAR(choice_power({{1, 0}, {1, 1}}, {{1, 1}, {1, 0}}, 1, 1e12), 1, 1e-4);
  EXPECT_NEAR(choice_power({{1, 0}, {1, 1}}, {{1, 1}, {1, 0}}, 1, 100), 0.0352, 5e-4);
  // One run of 1000 candidates with a slope is cut, and tells more than its two ends.
  EXPECT_GT(choice_power({{1000, 0, 1}}, {{1000, 1000, -1}}, 1000, 1e12), 0.9);
  EXPECT_EQ(choice_power({{5, 3}}, {{5, 7}}, 1, 1e6), 0);
}

}  // namespace
}  // namespace dperm::audit
