// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/statistics/noise_family.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dperm/audit/statistics/bounds.hpp"
#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"

namespace dperm::audit {
namespace {

using Events = std::vector<privacy::PrivacyEvent>;

// Nine Gaussian releases of sensitivity 1 and deviation 10 are one with mu = 0.3. A test with the advantage of mu =
// 0.2, 2 Phi(0.1) - 1, shows the epsilon of mu = 0.2.
TEST(AuditNoiseFamily, IsMuForGaussianReleases) {
  const Events events = {{"sum", privacy::GaussianEvent{1, 10}, privacy::Neighbours::replace_one, 9}};
  for (const double mu : {0.2, 0.5}) {
    const double advantage = std::erf(mu / 2 / std::sqrt(2.0));
    EXPECT_NEAR(epsilon_of_advantage(events, advantage, 1e-5), epsilon_of_mu(mu, 1e-5), 0.01) << mu;
  }
  EXPECT_EQ(epsilon_of_advantage(events, 0, 1e-5), 0);
}

// The most that is allowed shows all of epsilon and not more; half of it shows less.
TEST(AuditNoiseFamily, OfASampleNoMoreIsShownThanItHas) {
  const Events events = {{"sum", privacy::SampledGaussianEvent{1, 2, 0.25}, privacy::Neighbours::replace_one, 10}};
  const double most = privacy::PrivacyCurve(events).advantage(), epsilon = privacy::account(events, 1e-5).epsilon;
  const double shown = epsilon_of_advantage(events, most * (1 - 1e-9), 1e-5);
  EXPECT_LE(shown, epsilon);
  EXPECT_GT(shown, 0.97 * epsilon);
  EXPECT_LT(epsilon_of_advantage(events, most / 2, 1e-5), 0.7 * epsilon);
  EXPECT_GT(epsilon_of_advantage(events, most * 1.2, 1e-5), epsilon) << "the claim is refuted";
}

TEST(AuditNoiseFamily, KnowsGaussianNoiseOnly) {
  const Events events = {{"sum", privacy::DiscreteLaplaceEvent{1, 2, 1}}};
  EXPECT_FALSE(is_noise_family(events));
  EXPECT_THROW(epsilon_of_advantage(events, 0.1, 1e-5), ArgumentError);
}

}  // namespace
}  // namespace dperm::audit
