// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/spending.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"

namespace dperm::privacy {
namespace {

PrivacyEvent gaussian(double sigma) { return {"x", GaussianEvent{1, sigma}, Neighbours::replace_one, 1}; }

TEST(PrivacyFilter, AcceptsUntilTheCapAndNeverBeyond) {
  PrivacyFilter filter(Currency::zcdp, 0.1, Neighbours::replace_one);
  std::vector<PrivacyEvent> accepted;
  for (int i = 0; i < 1000; ++i) {
    const PrivacyEvent event = gaussian(3 + i % 7);
    if (!filter.affords(event)) {
      EXPECT_THROW(filter.spend(event), BudgetError);
      continue;
    }
    filter.spend(event);
    accepted.push_back(event);
  }
  EXPECT_LE(zcdp_rho(accepted), 0.1);
  EXPECT_GT(zcdp_rho(accepted), 0.09);
  EXPECT_LE(filter.spent_epsilon(1e-6), filter.epsilon(1e-6));
  EXPECT_LE(account(accepted, 1e-6).epsilon, filter.epsilon(1e-6));
}

TEST(PrivacyFilter, GaussianCapIsInStandardDeviations) {
  PrivacyFilter filter(Currency::gaussian, 1, Neighbours::replace_one);
  for (int i = 0; i < 99; ++i) filter.spend(gaussian(10));  // mu^2 = 0.01 each
  EXPECT_NEAR(filter.spent(), std::sqrt(0.99), 1e-9);
  EXPECT_THROW(filter.spend(gaussian(5)), BudgetError);
  EXPECT_NEAR(filter.spent(), std::sqrt(0.99), 1e-9) << "a refused release costs nothing";
}

TEST(PrivacyFilter, RefusesWhatItsCurrencyCannotExpress) {
  PrivacyFilter pure(Currency::pure, 1, Neighbours::replace_one);
  EXPECT_THROW(pure.affords(gaussian(5)), ArgumentError);
  PrivacyFilter gdp(Currency::gaussian, 1, Neighbours::replace_one);
  EXPECT_THROW(gdp.affords({"x", DiscreteLaplaceEvent{1, 5, 1}, Neighbours::replace_one, 1}), ArgumentError);
  EXPECT_THROW(gdp.affords({"x", GaussianEvent{1, 5}, Neighbours::add_remove, 1}), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
