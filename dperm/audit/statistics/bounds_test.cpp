// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/statistics/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"

namespace dperm::audit {
namespace {

// Quantiles of the beta distribution: scipy.stats.beta.ppf(a, k, n - k + 1) and isf(a, k + 1, n - k), SciPy 1.17.
TEST(AuditBounds, RatesAreClopperAndPearsons) {
  EXPECT_NEAR(at_least(900, 1000, 0.025), 0.8797120634813074, 1e-9);
  EXPECT_NEAR(at_most(50, 1000, 0.025), 0.06539048791549365, 1e-9);
  EXPECT_NEAR(at_most(0, 1000, 0.025), 0.003682083896865672, 1e-9);
  EXPECT_NEAR(at_least(7, 20, 0.0005), 0.07685409351387507, 1e-9);
  EXPECT_NEAR(at_most(7, 20, 0.0005), 0.7256695456326641, 1e-9);
  EXPECT_NEAR(at_least(20, 20, 0.0005), 0.6838305520458344, 1e-9);
  EXPECT_NEAR(at_least(60000, 100000, 1e-11), 0.5895769151854435, 1e-9);
  EXPECT_NEAR(at_most(60000, 100000, 1e-11), 0.6103624224344102, 1e-9);
  EXPECT_EQ(at_least(0, 5, 0.1), 0);
  EXPECT_EQ(at_most(5, 5, 0.1), 1);
}

// By hand from the same quantiles: ln((0.879712063 - 1e-5) / 0.065390488) and so on.
TEST(AuditBounds, EpsilonFollowsFromTheRates) {
  EXPECT_NEAR(epsilon_at_least({900, 1000, 50, 1000}, 1e-5, 0.05), 2.599206483, 1e-7);
  EXPECT_NEAR(epsilon_at_least({500, 1000, 0, 1000}, 1e-5, 0.05), 4.846140844, 1e-7);
  EXPECT_NEAR(epsilon_at_least({5000, 10000, 10, 10000}, 1e-5, 0.05), 5.585872160, 1e-7);
  // The mirror image of the second one: sure where the record is there, a coin where it is not.
  EXPECT_NEAR(epsilon_at_least({1000, 1000, 500, 1000}, 1e-5, 0.05), 4.846140844, 1e-7);
  EXPECT_EQ(epsilon_at_least({500, 1000, 500, 1000}, 0, 0.05), 0);
  EXPECT_EQ(epsilon_at_least({1, 10, 0, 10}, 0.5, 0.05), 0) << "delta alone explains it";
}

TEST(AuditBounds, MuFollowsFromTheRates) {
  // 1850 of 2000 guesses are right: scipy.stats.beta.ppf(0.05, 1850, 151) = 0.914592049, and twice its normal quantile.
  EXPECT_NEAR(advantage_at_least({900, 1000, 50, 1000}, 0.05), 0.8291840974, 1e-9);
  EXPECT_NEAR(mu_at_least({900, 1000, 50, 1000}, 0.05), 2.7391737268, 1e-8);
  EXPECT_EQ(mu_at_least({500, 1000, 500, 1000}, 0.05), 0);
}

// A test on N(0, 1) against N(mu, 1) at threshold t has the rates Phi(mu - t) and Phi(-t): the bound approaches mu from
// below half way between the means, and is below it elsewhere.
TEST(AuditBounds, MuIsThatOfTheGaussianTradeOffCurve) {
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  constexpr double kRuns = 1e8;
  for (const double mu : {0.1, 0.5, 2.0}) {
    for (const double threshold : {mu / 2, -0.5, 1.5}) {
      const Guesses guesses{static_cast<std::uint64_t>(kRuns * phi(mu - threshold)), 100000000,
                            static_cast<std::uint64_t>(kRuns * phi(-threshold)), 100000000};
      const double bound = mu_at_least(guesses, 1e-9);
      EXPECT_LT(bound, mu);
      if (threshold == mu / 2) {
        EXPECT_GT(bound, mu - 2e-3);
      }
    }
  }
}

// delta(1; mu) = 1e-5 at mu = 0.2680510... (dp_accounting's Gaussian calibration: sigma 3.730631634816464).
TEST(AuditBounds, EpsilonOfMuStaysBelowTheProvedOne) {
  const double epsilon = epsilon_of_mu(1 / 3.730631634816464, 1e-5);
  EXPECT_NEAR(epsilon, 1, 1e-8);
  EXPECT_LT(epsilon_of_mu(0.2, 1e-5), epsilon);
  EXPECT_EQ(epsilon_of_mu(0, 1e-5), 0);
}

TEST(AuditBounds, NonsenseIsRefused) {
  EXPECT_THROW(at_least(3, 2, 0.1), ArgumentError);
  EXPECT_THROW(at_least(0, 0, 0.1), ArgumentError);
  EXPECT_THROW(at_most(1, 2, std::nan("")), ArgumentError);
  EXPECT_THROW(epsilon_at_least({1, 2, 1, 2}, 1, 0.1), ArgumentError);
  EXPECT_THROW(advantage_at_least({1, 2, 1, 3}, 0.1), ArgumentError);
  EXPECT_THROW(advantage_at_least({1, 2, 1, 2}, 0.3), ArgumentError);
}

}  // namespace
}  // namespace dperm::audit
