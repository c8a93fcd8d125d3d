// SPDX-License-Identifier: Apache-2.0
// Intervals of the privacy-loss accountant against independently computed values.
#include "dperm/privacy/composition/privacy_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::privacy {
namespace {

using Events = std::vector<PrivacyEvent>;

PrivacyEvent sampled(double rate, double sigma, std::int64_t steps, Neighbours neighbours,
                     Sampling sampling = Sampling::poisson) {
  return {"noisy gradient", SampledGaussianEvent{1, sigma, rate, sampling}, neighbours, steps};
}

Interval epsilon_of(const PrivacyEvent& event, double delta, double width = 1e-3) {
  return PrivacyCurve(Events{event}).epsilon(delta, width);
}

void expect_contains(const Interval& interval, double reference, double reference_error, double width) {
  EXPECT_LE(interval.lower, reference + reference_error);
  EXPECT_GE(interval.upper, reference - reference_error);
  EXPECT_LE(interval.upper - interval.lower, width);
}

struct Case {
  double rate, sigma;
  std::int64_t steps;
  double delta, add_remove, replace_one;
};

// Values from two other implementations with finer grids; they agree to the digits shown.
TEST(PrivacyCurve, ContainsTheValuesOfOtherAccountantsForPoissonSampling) {
  const std::vector<Case> cases{{.01, 1, 1000, 1e-5, 1.828238, 2.843446},
                                {.01, .8, 500, 1e-6, 2.925146, 3.527887},
                                {.1, 2, 100, 1e-5, 2.337400, 4.368097},
                                {.001, .6, 10000, 1e-7, 3.84495, 4.14842},
                                {.01, 2, 1000, 1e-5, 0.622049, 1.205210}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.steps);
    expect_contains(epsilon_of(sampled(c.rate, c.sigma, c.steps, Neighbours::add_remove), c.delta), c.add_remove, 1e-5,
                    1e-3);
    expect_contains(epsilon_of(sampled(c.rate, c.sigma, c.steps, Neighbours::replace_one), c.delta), c.replace_one,
                    1e-5, 1e-3);
  }
}

TEST(PrivacyCurve, BoundsFixedSizeSamplesByTheTightProfile) {
  const auto of = [](double sigma) {
    return epsilon_of(sampled(.01, sigma, 1000, Neighbours::replace_one, Sampling::fixed_size), 1e-5);
  };
  EXPECT_NEAR(of(1).upper, 14.820667, 1e-3);
  EXPECT_NEAR(of(2).upper, 2.198914, 1e-3);
  EXPECT_GT(of(2).lower, 1.8) << "what one pair of datasets costs";
  EXPECT_LT(of(2).lower, 2.198914);
}

TEST(PrivacyCurve, ContainsKnownLaplaceCompositions) {
  const auto of = [](double epsilon, std::int64_t count) {
    return PrivacyEvent{"x", SampledLaplaceEvent{epsilon, 1, 1, Sampling::poisson}, Neighbours::add_remove, count};
  };
  expect_contains(epsilon_of(of(.1, 100), 1e-6), 4.692667, 2e-6, 1e-3);
  expect_contains(epsilon_of(of(.5, 20), 1e-5), 9.105544, 2e-6, 1e-3);
}

TEST(PrivacyCurve, ContainsTheExactGaussianCurveEvenInATinyInterval) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 40; ++i) {
    const double mu = std::exp(std::uniform_real_distribution(-5.0, 2.0)(random));
    const double delta = std::pow(10, -std::uniform_real_distribution(1.0, 20.0)(random));
    // Two different distributions so that the sum is composed and not merely evaluated; e^-12 hardly costs anything.
    const std::vector<DistributionCount> distributions{{gaussian_distribution(mu / std::sqrt(2.0)), nullptr, 1},
                                                       {gaussian_distribution(mu / std::sqrt(8.0)), nullptr, 4}};
    const double exact = epsilon_gaussian(mu, delta);
    const Interval interval = PrivacyCurve(distributions, 0).epsilon(delta, 1e-4 * (exact + 0.01));
    EXPECT_LE(interval.lower, exact) << mu << ' ' << delta;
    EXPECT_GE(interval.upper, exact * (1 - 1e-12)) << mu << ' ' << delta;
    EXPECT_LE(interval.upper - interval.lower, 1e-4 * (exact + 0.01)) << mu << ' ' << delta;
  }
}

TEST(PrivacyCurve, ContainsExactBinomialSumsOfRandomisedResponse) {
  // k answers of +epsilon among n: loss (2k - n) epsilon.
  const double e = 0.3, likely = 1 / (1 + std::exp(-e));
  const int n = 50;
  const PrivacyCurve curve(Events{{"x", RandomisedResponseEvent{e}, Neighbours::replace_one, n}});
  for (const double epsilon : {0.0, 1.0, 2.5, 5.0, 9.0}) {
    double exact = 0;
    for (int k = 0; k <= n; ++k) {
      const double log_p = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                           k * std::log(likely) + (n - k) * (std::log(likely) - e);
      const double loss = (2 * k - n) * e;
      if (loss > epsilon) exact -= std::exp(log_p) * std::expm1(epsilon - loss);
    }
    const Interval interval = curve.delta(epsilon, 1e-4);
    EXPECT_LE(interval.lower, exact * (1 + 1e-9)) << epsilon;
    EXPECT_GE(interval.upper, exact * (1 - 1e-9)) << epsilon;
    EXPECT_LE(interval.upper, interval.lower * (1 + 1e-4) + 1e-300) << epsilon;
  }
}

TEST(PrivacyCurve, ContainsSingleStepDeltasOfEachDirection) {
  const Distribution removed = sampled_distribution(gaussian_distribution(1), 0.1),
                     added = reversed_distribution(removed);
  const auto delta = [](const Distribution& distribution, double epsilon) {
    return PrivacyCurve(std::vector<DistributionCount>{{distribution, nullptr, 1}}, 0).delta(epsilon, 1e-5);
  };
  EXPECT_NEAR(delta(removed, 0.1).upper, 1.847193068806e-2, 2e-7);
  EXPECT_NEAR(delta(removed, 1).upper, 2.071214860214e-4, 3e-9);
  EXPECT_NEAR(delta(added, 0.1).upper, 7.526745010056e-6, 3e-9);
  EXPECT_LT(delta(added, 0.5).upper, 1e-15);
  EXPECT_NEAR(delta(sampled_gaussian_replace_distribution(1, 0.1), 0.5).upper, 3.341971791014e-3, 5e-8);
  EXPECT_LE(delta(removed, 0.1).lower, 1.847193068806e-2);
}

TEST(PrivacyCurve, AFactorTwoLiesBetweenAddingAndReplacing) {
  // A sample of everything is a plain Gaussian release: sensitivity C for adding, 2C for replacing a record.
  EXPECT_NEAR(epsilon_of(sampled(1, 4, 1, Neighbours::add_remove), 1e-5).upper, epsilon_gaussian(0.25, 1e-5), 1e-3);
  EXPECT_NEAR(epsilon_of(sampled(1, 4, 1, Neighbours::replace_one), 1e-5).upper, epsilon_gaussian(0.5, 1e-5), 1e-3);
  const PrivacyEvent fixed = sampled(1, 4, 1, Neighbours::replace_one, Sampling::fixed_size);
  EXPECT_NEAR(epsilon_of(fixed, 1e-5).upper, epsilon_gaussian(0.5, 1e-5), 1e-3);
  EXPECT_THROW(PrivacyCurve(Events{sampled(.1, 4, 1, Neighbours::add_remove, Sampling::fixed_size)}), ArgumentError);
}

TEST(PrivacyCurve, ExtremesGiveAValidIntervalOrInfinity) {
  for (const double delta : {1e-15}) {
    for (const double rate : {1e-6, 1e-2}) {
      for (const double sigma : {0.1, 1000.0}) {
        for (const std::int64_t steps : {std::int64_t{1}, std::int64_t{10'000'000}}) {
          const Interval interval = epsilon_of(sampled(rate, sigma, steps, Neighbours::add_remove), delta, 0.1);
          EXPECT_GE(interval.lower, 0);
          EXPECT_LE(interval.lower, interval.upper);
          // Without sampling the cost is known exactly and larger.
          const double most = epsilon_gaussian(std::sqrt(static_cast<double>(steps)) / sigma, delta);
          EXPECT_LE(interval.lower, most) << delta << ' ' << rate << ' ' << sigma << ' ' << steps;
        }
      }
    }
  }
}

TEST(PrivacyCurve, ADeltaBelowTheLeastMassOfADoubleHasNoUpperEnd) {
  const Interval interval = epsilon_of(sampled(0.01, 1, 1000, Neighbours::add_remove), 1e-300);
  EXPECT_TRUE(std::isinf(interval.upper));
  EXPECT_GT(interval.lower, 80);
  EXPECT_LT(interval.lower, 87.8) << "what Renyi divergences prove";
}

TEST(PrivacyCurve, AttackersGainWhatTheCurveSays) {
  const PrivacyCurve curve(Events{{"x", GaussianEvent{1, 1}, Neighbours::replace_one, 1}});
  EXPECT_NEAR(curve.advantage(), std::erf(0.5 / std::sqrt(2.0)), 1e-3);  // 2 Phi(1/2) - 1
  // Phi(Phi^-1(0.05) + 1)
  const double rate = curve.true_positive_rates({0.05}).front();
  EXPECT_GE(rate, 0.259511);
  EXPECT_LE(rate, 0.27);
  EXPECT_GE(curve.group_delta(2, 3), delta_gaussian(3, 2)) << "the chain bound is above the exact group of two";
  EXPECT_THROW(curve.true_positive_rates({std::nan("")}), ArgumentError);
  EXPECT_THROW(curve.epsilon(std::nan("")), ArgumentError);
}

// What costs nothing to say is said at once, and of nothing else.
TEST(PrivacyCurve, AttackersOnAMillionReleasesAreBoundedByOne) {
  const SampledLaplaceEvent laplace{1, 1, 0.5, Sampling::fixed_size};
  const PrivacyCurve many(Events{{"x", laplace, Neighbours::replace_one, 1'000'000'000}});
  EXPECT_EQ(many.advantage(), 1);
  EXPECT_EQ(many.true_positive_rates({0.001, 0.1}), (std::vector<double>{1, 1}));
  const PrivacyCurve few(Events{{"x", RandomisedResponseEvent{0.5}, Neighbours::replace_one, 40}});
  const double exact = few.delta(0, 1e-3).upper;
  EXPECT_LT(exact, 0.95);
  EXPECT_EQ(few.advantage(), exact);
  EXPECT_LT(few.true_positive_rates({0.001}).front(), 0.9);
}

// Ranges far shorter than a grid's slack once asked for billions of points.
TEST(PrivacyCurve, VanishingLossesTakeLittleTimeAndMemory) {
  for (const double epsilon : {1e-13, 1e-15, 1e-18, 1e-200}) {
    const Events tiny{{"x", RandomisedResponseEvent{epsilon}, Neighbours::replace_one, 1}};
    EXPECT_LT(PrivacyCurve(tiny).epsilon(1e-6).upper, 1e-6) << epsilon;
    EXPECT_LT(PrivacyCurve(tiny).delta(0).upper, 1e-5) << epsilon;
    Events mixed = tiny;
    mixed.push_back({"x", GaussianEvent{1, 2}, Neighbours::replace_one, 1});
    expect_contains(PrivacyCurve(mixed).epsilon(1e-6), epsilon_gaussian(0.5, 1e-6), 1e-9, 2e-3);
  }
}

// The masses of one of the neighbours vanish as doubles from mu 38 on.
TEST(PrivacyCurve, ContainsTheExactGaussianCurveWhereMassesUnderflow) {
  for (const double mu : {37.5, 38.5, 40.0, 70.0, 200.0}) {
    const PrivacyCurve curve(std::vector<DistributionCount>{{gaussian_distribution(mu), nullptr, 1}}, 0);
    for (const double delta : {1e-9, 0.05}) {
      for (const double width : {0.5, 0.01}) {
        const Interval interval = curve.epsilon(delta, width);
        const double exact = epsilon_gaussian(mu, delta);
        EXPECT_LE(interval.lower, exact * (1 + 1e-12)) << mu << ' ' << delta << ' ' << width;
        EXPECT_GE(interval.upper, exact * (1 - 1e-12)) << mu << ' ' << delta << ' ' << width;
        EXPECT_LT(interval.upper - interval.lower, 1) << mu << ' ' << delta << ' ' << width;
      }
    }
  }
}

}  // namespace
}  // namespace dperm::privacy
