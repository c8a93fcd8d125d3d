// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/attacker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace dperm::privacy {
namespace {

using Events = std::vector<PrivacyEvent>;

double normal_share(double x) { return 0.5 * std::erfc(-x / std::sqrt(2)); }

TEST(Attacker, OfAGuaranteeAloneIsWhereBothErrorsAreEqual) {
  EXPECT_NEAR(advantage({}, {.epsilon = 0, .delta = 0.1}), 0.1, 1e-9);
  EXPECT_NEAR(right_guesses(advantage({}, {.epsilon = std::log(3), .delta = 0})), 0.75, 1e-9);
  EXPECT_EQ(right_guesses(advantage({}, {.epsilon = 1000, .delta = 0.1})), 1);
  EXPECT_EQ(advantage({}, {.epsilon = std::numeric_limits<double>::infinity()}), 1);
}

TEST(Attacker, OfGaussianReleasesIsTheDistanceOfTwoNormals) {
  // 100 releases of sigma 20 and sensitivity 1 have mu = 100^(1/2) / 20 = 0.5 [DRS22]; noise is rounded to integers, so
  // scale up.
  const Events events = {{"sum", GaussianEvent{1 << 20, 20.0 * (1 << 20)}, Neighbours::replace_one, 100}};
  const double exact = 2 * normal_share(0.25) - 1;
  EXPECT_NEAR(advantage(events, {.epsilon = 100, .delta = 1}), exact, 2e-3 * exact);
  EXPECT_GE(advantage(events, {.epsilon = 100, .delta = 1}), exact);
}

TEST(Attacker, TakesTheSmallerOfBothBounds) {
  const Events events = {{"sum", GaussianEvent{1 << 20, 1 << 20}}};  // alone 0.38
  EXPECT_NEAR(advantage(events, {.epsilon = 0.1, .delta = 0}), std::tanh(0.05), 1e-9);
}

TEST(Attacker, OfReleasesWithoutALossDistributionIsThatOfTheGuarantee) {
  const Events events = {{"best", SelectionEvent{RepetitionDistribution::poisson, 0, 5, 0.1}}};
  EXPECT_NEAR(advantage(events, {.epsilon = 1, .delta = 0}), std::tanh(0.5), 1e-9);
}

}  // namespace
}  // namespace dperm::privacy
