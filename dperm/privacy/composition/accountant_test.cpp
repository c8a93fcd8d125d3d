// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/accountant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/renyi.hpp"
#include "dperm/privacy/distributions/event_distribution.hpp"

namespace dperm::privacy {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

PrivacyEvent gaussian(double sensitivity, double sigma, std::int64_t repetitions = 1) {
  return {.what = "gradient", .mechanism = GaussianEvent{sensitivity, sigma}, .repetitions = repetitions};
}
PrivacyEvent laplace(std::uint64_t sensitivity, std::uint64_t numerator, std::uint64_t denominator,
                     std::int64_t repetitions = 1) {
  return {.what = "count",
          .mechanism = DiscreteLaplaceEvent{sensitivity, numerator, denominator},
          .repetitions = repetitions};
}
PrivacyEvent k_norm(double sensitivity, double scale) {
  return {.what = "weights", .mechanism = KNormEvent{sensitivity, scale}};
}
using Events = std::vector<PrivacyEvent>;

TEST(Accountant, NoReleaseCostsNothing) {
  const Guarantee guarantee = account(Events{}, 0);
  EXPECT_EQ(guarantee.epsilon, 0);
  EXPECT_EQ(guarantee.delta, 0);
  EXPECT_TRUE(guarantee.pure);
}

TEST(Accountant, PureEpsilonsAddUpExactly) {
  const Guarantee guarantee = account(Events{laplace(1, 4, 1, 2), k_norm(3, 12), laplace(5, 10, 1)}, 1e-6);
  EXPECT_EQ(guarantee.epsilon, 1.25);
  EXPECT_EQ(guarantee.delta, 0);
  EXPECT_EQ(guarantee.accountant, "pure");
  EXPECT_TRUE(guarantee.pure);
  EXPECT_FALSE(guarantee.mu || guarantee.rho);
}

TEST(Accountant, AChoiceCostsItsRangeOverItsScaleAndLessWhenOfBoundedRange) {
  const PrivacyEvent exponential{.what = "rule", .mechanism = ExponentialEvent{2, 8, 1}};
  const PrivacyEvent flip{.what = "rule", .mechanism = PermuteAndFlipEvent{2, 8, 1}};
  EXPECT_EQ(account(Events{exponential}, 0).epsilon, 0.25);
  EXPECT_EQ(account(Events{exponential, flip}, 0).epsilon, 0.5);
  EXPECT_NEAR(zcdp_rho(Events{exponential}), 0.25 * 0.25 / 8, 1e-15);
  EXPECT_GE(zcdp_rho(Events{exponential}), 0.25 * 0.25 / 8);
  EXPECT_NEAR(zcdp_rho(Events{flip}), 0.25 * std::tanh(0.125), 1e-15);
}

TEST(Accountant, OneOfManyPureReleasesHasItsOwnEpsilon) {
  EXPECT_EQ(pure_epsilon_once({"x", DiscreteLaplaceEvent{3, 4, 2}, Neighbours::replace_one, 1000}), 1.5);
  EXPECT_THROW(pure_epsilon_once({"x", GaussianEvent{1, 1}}), ArgumentError);
  EXPECT_THROW(pure_epsilon_once({"x", DiscreteLaplaceEvent{0, 4, 2}}), ArgumentError);
}

TEST(Accountant, APureEpsilonThatIsNoDoubleIsRoundedUp) {
  const double third = account(Events{laplace(1, 3, 1)}, 0).epsilon;
  EXPECT_GT(static_cast<long double>(third), 1 / 3.0L);
  EXPECT_EQ(third, std::nextafter(1.0 / 3, 1.0));
  const std::uint64_t big = (std::uint64_t{1} << 62) - 1;
  EXPECT_GE(account(Events{laplace(big, 1, big, std::numeric_limits<std::int64_t>::max())}, 0).epsilon, 0x1p186);
}

TEST(Accountant, GaussiansComposeExactly) {
  struct Case {
    std::int64_t k;
    double rho, delta, classical, tight, exact;
  };
  // rho is the square of mu of one release; mpmath.
  for (const Case& c : {Case{100, .0004, 1e-5, 0.979705182438, 0.794314774274, 0.725521750858},
                        Case{1000, .0001, 1e-6, 1.71225813627, 1.47159475053, 1.36757147508},
                        Case{10, .1, 1e-5, 5.29852591219, 4.72838698494, 4.37717809568}}) {
    const Events events{gaussian(std::sqrt(c.rho), 1, c.k)};
    const Guarantee guarantee = account(events, c.delta);
    EXPECT_NEAR(guarantee.epsilon, c.exact, 1e-10);
    EXPECT_EQ(guarantee.accountant, "gaussian-dp");
    EXPECT_EQ(guarantee.delta, c.delta);
    EXPECT_FALSE(guarantee.pure);
    EXPECT_NEAR(*guarantee.mu, std::sqrt(static_cast<double>(c.k) * c.rho), 1e-14);
    EXPECT_NEAR(*guarantee.rho, static_cast<double>(c.k) * c.rho / 2, 1e-14);
    EXPECT_NEAR(zcdp_epsilon(zcdp_rho(events), c.delta), c.tight, 1e-10);
    EXPECT_NEAR(zcdp_epsilon_classical(zcdp_rho(events), c.delta), c.classical, 1e-10);
  }
}

TEST(Accountant, GaussianSensitivitiesEnterAsARootOfSquares) {
  const double mu = gaussian_mu(Events{gaussian(3, 10), gaussian(2, 5, 4), gaussian(1, 2)});
  EXPECT_NEAR(mu, std::sqrt(0.09 + 4 * 0.16 + 0.25), 1e-15);
  EXPECT_GE(static_cast<long double>(mu) * mu, 0.98L);
}

TEST(Accountant, ZcdpConvertsByTheTightFormula) {
  EXPECT_NEAR(zcdp_epsilon(0.1, 1e-6), 2.14193892839, 1e-10);
  EXPECT_NEAR(zcdp_epsilon_classical(0.1, 1e-6), 2.45078800048, 1e-10);
  EXPECT_EQ(zcdp_epsilon(0, 1e-6), 0);
  for (const double rho : {1e-12, 1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e8}) {
    for (const double delta : {1e-300, 1e-12, 1e-6, 1e-2, 0.5}) {
      // Never below the exact curve of the Gaussian mechanism with this rho, never above the classical formula.
      EXPECT_GE(zcdp_epsilon(rho, delta), epsilon_gaussian(std::sqrt(2 * rho), delta)) << rho << ' ' << delta;
      EXPECT_LE(zcdp_epsilon(rho, delta), zcdp_epsilon_classical(rho, delta)) << rho << ' ' << delta;
    }
  }
}

TEST(Accountant, RhoOfAPureReleaseBoundsRandomisedResponse) {
  // Randomised response is the worst eps-DP mechanism; its Renyi divergence of order a must stay below a rho.
  for (const double epsilon : {0.01, 0.5, 1.0, 3.0, 20.0}) {
    const double rho = zcdp_rho(Events{k_norm(epsilon, 1)});
    EXPECT_LE(rho, epsilon * epsilon / 2 * (1 + 1e-12));
    const long double e = epsilon;
    long double worst = 0;
    for (long double s = 1e-6L; s < 1e3L; s *= 1.1L) {  // order 1 + s
      const long double log_ratio = e * s + std::log1p(std::exp(-(2 * s + 1) * e)) - std::log1p(std::exp(-e));
      const long double ratio = log_ratio / (s * (1 + s));
      EXPECT_LE(ratio, rho * (1 + 1e-8L)) << epsilon << ' ' << s;
      worst = std::max(worst, ratio);
    }
    EXPECT_GT(worst, 0.999 * rho) << "the bound is attained as the order goes to 1";
  }
}

TEST(Accountant, MixedReleasesAreComposedBetterThanByTheBasicBoundAndZcdp) {
  const Events one_large{gaussian(1, 4), laplace(1, 1, 2)};
  const Guarantee basic = account(one_large, 1e-6);
  EXPECT_LE(basic.epsilon, 2 + epsilon_gaussian(0.25, 1e-6));
  EXPECT_GT(basic.epsilon, 2);
  EXPECT_FALSE(basic.mu);

  const Events many_small{gaussian(1, 4), laplace(1, 50, 1, 400)};
  const Guarantee many = account(many_small, 1e-6);
  EXPECT_EQ(many.accountant, "privacy-loss");
  EXPECT_NEAR(*many.rho, 1.0 / 32 + 400 * 0.02 * std::tanh(0.01), 1e-14);
  EXPECT_LT(many.epsilon, zcdp_epsilon(*many.rho, 1e-6));
  EXPECT_GT(many.epsilon, 0.9 * zcdp_epsilon(*many.rho, 1e-6)) << "zCDP is close here";
  EXPECT_FALSE(many.pure);
}

TEST(Accountant, EveryOrderOfTheSameEventsGivesTheSameNumber) {
  const Events events{gaussian(1, 7), laplace(1, 9, 2, 3), gaussian(2, 5, 2), k_norm(1, 3)};
  const Events reversed(events.rbegin(), events.rend());
  EXPECT_EQ(account(events, 1e-5).epsilon, account(reversed, 1e-5).epsilon);
}

TEST(Accountant, DifferentNeighbouringRelationsDoNotAddUp) {
  PrivacyEvent other = laplace(1, 2, 1);
  other.neighbours = Neighbours::add_remove;
  EXPECT_EQ(account(Events{other}, 0).neighbours, Neighbours::add_remove);
  EXPECT_THROW(account(Events{laplace(1, 2, 1), other}, 0), ArgumentError);
  EXPECT_THROW(zcdp_rho(Events{gaussian(1, 2), other}), ArgumentError);
}

TEST(Accountant, ADeltaIsNeededForGaussiansAndNaNNeverPasses) {
  for (const double bad : {0.0, 1.0, -1e-9, kNan}) {
    EXPECT_THROW(account(Events{gaussian(1, 2)}, bad), ArgumentError) << bad;
    EXPECT_THROW(zcdp_epsilon(1, bad), ArgumentError) << bad;
  }
  EXPECT_THROW(account(Events{laplace(1, 2, 1)}, kNan), ArgumentError);
  EXPECT_THROW(account(Events{laplace(1, 2, 1)}, 1), ArgumentError);
  EXPECT_THROW(account(Events{gaussian(kNan, 2)}, 1e-6), ArgumentError);
  EXPECT_THROW(account(Events{gaussian(1, 2, 0)}, 1e-6), ArgumentError);
  EXPECT_THROW(pure_epsilon(Events{gaussian(1, 2)}), ArgumentError);
  EXPECT_THROW(gaussian_mu(Events{laplace(1, 2, 1)}), ArgumentError);
}

TEST(Accountant, WhatLeftWithoutNoiseCostsEverything) {
  const PrivacyEvent bare{"weights", UnprotectedEvent{}}, noisy = gaussian(1, 10), count = laplace(1, 10, 1);
  for (const std::vector<PrivacyEvent>& events :
       std::vector<std::vector<PrivacyEvent>>{{bare},
                                              {noisy, bare},
                                              {count, bare},
                                              {noisy, count, bare},
                                              {{"parts", DisjointPartsEvent{{{noisy}, {bare}}}}}}) {
    for (const double delta : {1e-6, 0.5}) {
      const Guarantee guarantee = account(events, delta);
      EXPECT_TRUE(std::isinf(guarantee.epsilon));
    }
    EXPECT_TRUE(is_unprotected(events));
  }
  EXPECT_TRUE(std::isinf(account(std::vector{bare}, 0).epsilon));
  EXPECT_EQ(account(std::vector{bare}, 0).accountant, "none");
  EXPECT_TRUE(std::isinf(pure_epsilon(std::vector{count, bare})));
  EXPECT_TRUE(std::isinf(renyi_epsilon(std::vector{noisy, bare}, 1e-6)));
  EXPECT_FALSE(has_loss_distributions(std::vector{bare}));
  EXPECT_FALSE(is_unprotected(std::vector{noisy, count}));
  SelectionEvent choice{};
  choice.parameter = 0.5;
  choice.alternatives = {{noisy}};
  EXPECT_NO_THROW(validate(Mechanism(choice)));
  choice.alternatives = {{noisy, bare}};
  EXPECT_THROW(validate(Mechanism(choice)), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
