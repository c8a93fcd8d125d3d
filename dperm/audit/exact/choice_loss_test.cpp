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

}  // namespace
}  // namespace dperm::audit
