// SPDX-License-Identifier: Apache-2.0
// Many different releases against their composition distribution by distribution, and lower ends against pairs computed
// directly.
#include "dperm/privacy/distributions/event_family.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/comparison.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/distributions/attained_distribution.hpp"

namespace dperm::privacy {
namespace {

using Events = std::vector<PrivacyEvent>;

constexpr int kDifferent = 66;  // more than are composed distribution by distribution

struct Many {
  std::string name;
  Neighbours neighbours;
  std::function<Mechanism(double)> at;  // of a number in [0, 1)
  double slack;                         // of the upper end, relative
  bool exact_below;
};

template <class Event>
Mechanism choice(double epsilon) {
  const LaplaceScale scale = laplace_scale_for(1, epsilon);
  return Event{1, scale.numerator, scale.denominator};
}

std::vector<Many> all_kinds() {
  const auto poisson = Sampling::poisson, fixed = Sampling::fixed_size;
  const auto add = Neighbours::add_remove, replace = Neighbours::replace_one;
  return {
      {"added", add, [=](double u) { return SampledGaussianEvent{1, 1.5 + u, 0.05, poisson}; }, 0.01, true},
      {"replaced", replace, [=](double u) { return SampledGaussianEvent{1, 2 + 2 * u, 0.05, poisson}; }, 0.01, true},
      {"fixed size", replace, [=](double u) { return SampledGaussianEvent{1, 4 + u, 0.05, fixed}; }, 0.01, false},
      {"two numbers", add,
       [=](double u) { return SampledGaussianEvent{1, 2 + u, 0.02 + 0.02 * std::fmod(7.3 * u, 1), poisson}; }, 0.03,
       true},
      {"sampled Laplace", add, [=](double u) { return SampledLaplaceEvent{1, 4 + 2 * u, 0.1, poisson}; }, 0.02, true},
      {"response", replace, [](double u) { return RandomisedResponseEvent{0.1 + 0.1 * u}; }, 0.02, true},
      {"exponential", replace, [](double u) { return choice<ExponentialEvent>(0.1 + 0.1 * u); }, 0.02, false},
      {"permute", replace, [](double u) { return choice<PermuteAndFlipEvent>(0.1 + 0.1 * u); }, 0.02, false},
  };
}

TEST(EventFamily, ManyDifferentReleasesAreBoundedOnBothSidesOfTheirExactComposition) {
  for (const Many& many : all_kinds()) {
    SCOPED_TRACE(many.name);
    Events events;
    std::vector<DistributionCount> one_by_one;
    for (int i = 0; i < kDifferent; ++i) {
      events.push_back({"x", many.at(static_cast<double>(i) / kDifferent), many.neighbours, 2});
      one_by_one.push_back(distribution_of(events.back()));
      one_by_one.back().count = 2;
    }
    for (const DistributionCount& distribution : distributions_of(events).distributions)
      ASSERT_FALSE(distribution.blend.empty());
    const Interval direct = PrivacyCurve(one_by_one, 0).epsilon(1e-6, 0.01),
                   blended = PrivacyCurve(events).epsilon(1e-6);
    EXPECT_GE(blended.upper, direct.lower);
    EXPECT_LE(blended.upper, direct.upper * (1 + many.slack) + 0.02);
    EXPECT_LE(blended.lower, direct.upper);
    EXPECT_TRUE(!many.exact_below || blended.lower >= 0.6 * direct.lower - 0.02)
        << blended.lower << ' ' << direct.lower;
    if (many.name != "response") continue;  // the others take longer
    const Interval exact = PrivacyCurve(one_by_one, 0).delta(1), bounded = PrivacyCurve(events).delta(1);
    EXPECT_GE(bounded.upper, exact.lower);
    EXPECT_LE(bounded.lower, exact.upper);
  }
}

// Repeated often enough that the few cells of a short list cost more than the width of the direct interval: a lower end
// that forgot what the cells add would lie above it.
TEST(EventFamily, BothEndsHoldWhereTheCellsAreCoarse) {
  const auto poisson = Sampling::poisson;
  const auto rate = [](double u) { return 1e-4 * std::pow(5000, std::fmod(7.3 * u, 1)); };
  const std::vector<Many> kinds{
      {"added", Neighbours::add_remove,
       [=](double u) { return SampledGaussianEvent{1, 0.6 * std::pow(100, u), rate(u), poisson}; }, 0, true},
      {"replaced", Neighbours::replace_one,
       [=](double u) { return SampledGaussianEvent{1, 1 * std::pow(100, u), rate(u), poisson}; }, 0, true},
  };
  for (const Many& many : kinds) {
    SCOPED_TRACE(many.name);
    Events events;
    std::vector<DistributionCount> one_by_one;
    for (int i = 0; i < kDifferent; ++i) {
      events.push_back({"x", many.at(static_cast<double>(i) / kDifferent), many.neighbours, 60});
      one_by_one.push_back(distribution_of(events.back()));
      one_by_one.back().count = 60;
      one_by_one.back().reverse = nullptr;  // removal alone: less to do, and what the lower end is about
    }
    const Interval direct = PrivacyCurve(one_by_one, 0).epsilon(1e-6, 0.012),
                   heterogeneous = PrivacyCurve(events).epsilon(1e-6);
    EXPECT_GE(heterogeneous.upper, direct.lower);
    EXPECT_LE(heterogeneous.lower, direct.upper);
    EXPECT_GT(heterogeneous.lower, 0.7 * direct.lower);
    EXPECT_GT(heterogeneous.upper, direct.lower + 0.01) << "the cells are not coarse";
  }
}

// Pairs that hardly differ are one release twice: 60 distributions instead of 120 releases.
TEST(EventFamily, AHundredDifferentEventsCostLittleMoreThanTheirDistributionsOneByOne) {
  Events twice, heterogeneous;
  for (int i = 0; i < 60; ++i) {
    const double u = std::fmod(0.6180339887 * i, 1), v = std::fmod(0.7548776662 * i, 1);
    const double sigma = std::pow(10, u - 0.2), rate = 0.01 * std::pow(10, v);
    const auto release = [&](double factor, std::int64_t times) {
      const SampledGaussianEvent mechanism{1, sigma * factor, rate, Sampling::poisson};
      return PrivacyEvent{"x", mechanism, Neighbours::add_remove, times};
    };
    twice.push_back(release(1, 8));
    heterogeneous.push_back(release(1, 4));
    heterogeneous.push_back(release(1 + 1e-9, 4));
  }
  const Interval direct = PrivacyCurve(twice).epsilon(1e-6), interval = PrivacyCurve(heterogeneous).epsilon(1e-6);
  EXPECT_GE(interval.upper, direct.lower);
  EXPECT_LE(interval.lower, direct.upper);
  EXPECT_LT(interval.upper, 1.02 * direct.upper);
  EXPECT_GT(interval.lower, 0.97 * direct.lower);
}

TEST(EventFamily, AHundredThousandDifferentEventsHaveANarrowInterval) {
  Events events;
  for (int i = 0; i < 100'000; ++i) {
    events.push_back({"x", SampledGaussianEvent{1, 4 + 1e-5 * i, 0.01, Sampling::poisson}, Neighbours::add_remove, 1});
  }
  const Interval interval = PrivacyCurve(events).epsilon(1e-6);
  EXPECT_LT(interval.upper - interval.lower, 0.02);
  EXPECT_GT(interval.lower, 3);
  EXPECT_LT(interval.upper, 3.82) << "all of them with the least noise";
}

TEST(EventFamily, AHundredThousandEventsThatDifferInNoiseAndRateHaveANarrowInterval) {
  Events events;
  for (int i = 0; i < 100'000; ++i) {
    const double u = std::fmod(0.6180339887 * i, 1), v = std::fmod(0.7548776662 * i, 1);
    events.push_back(
        {"x", SampledGaussianEvent{1, 4 + 12 * u, 0.002 + 0.018 * v, Sampling::poisson}, Neighbours::replace_one, 1});
  }
  const Interval interval = PrivacyCurve(events).epsilon(1e-6);
  EXPECT_LT(interval.upper - interval.lower, 0.02);
  EXPECT_GT(interval.lower, 2);
}

TEST(EventFamily, ThousandsOfDifferentKindsNeverGiveAnInfiniteEpsilonInSilence) {
  Events events;
  for (int i = 0; i < 3000; ++i) {
    events.push_back({"x", RandomisedResponseEvent{1e-3 * (1 + 1e-4 * i)}, Neighbours::replace_one, 1});
  }
  const Guarantee guarantee = account(events, 1e-6);
  EXPECT_LT(guarantee.epsilon, 0.6);
  EXPECT_FALSE(guarantee.pure);
  Events objectives;
  for (int i = 0; i < 300; ++i) {
    objectives.push_back({"x", ObjectivePerturbationEvent{{GradientSign::monotone, 1, 1, 4 + 0.01 * i, 50}, 0},
                          Neighbours::replace_one, 1});
  }
  EXPECT_THROW(PrivacyCurve{objectives}, ArgumentError);
}

// One pair of neighbours, by hand: the lower end may not exceed it, nor fall far below it.
double discrete_laplace_delta(double epsilon, int change, double scale) {
  const double r = std::exp(-1 / scale), p0 = (1 - r) / (1 + r);
  double sum = 0;
  for (int k = -2000; k <= 2000; ++k) {
    const double p = p0 * std::pow(r, std::abs(k - change)), q = p0 * std::pow(r, std::abs(k));
    sum += std::max(0.0, p - std::exp(epsilon) * q);
  }
  return sum;
}

TEST(AttainedDistribution, LatticeLaplaceCostsAtLeastItsExactPair) {
  for (const int change : {1, 2, 7}) {
    for (const double epsilon : {0.0, 0.1, 0.3}) {
      const Events events{
          {"x", DiscreteLaplaceEvent{static_cast<std::uint64_t>(change), 10, 1}, Neighbours::replace_one, 1}};
      const double exact = discrete_laplace_delta(epsilon, change, 10);
      const Interval delta = PrivacyCurve(events).delta(epsilon, 1e-3);
      EXPECT_LE(delta.lower, exact * (1 + 1e-9) + 1e-15) << change << ' ' << epsilon;
      EXPECT_GE(delta.lower, exact * 0.995 - 1e-12) << change << ' ' << epsilon;
      EXPECT_GE(delta.upper, exact * (1 - 1e-9)) << change << ' ' << epsilon;
    }
  }
}

// The number of blocks once overflowed, and they were made without end.
TEST(AttainedDistribution, TheLargestChangesAreDividedIntoAsFewBlocks) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t change : {kMost, kMost - 1, kMost - 511, kMost / 2 + 1}) {
    const Events events{{"x", DiscreteLaplaceEvent{change, change, 1}, Neighbours::replace_one, 1}};
    const double exact = 1 - std::exp(-0.5);  // of the Laplace mechanism at epsilon 1, which it is up to 2^-62
    const Interval delta = PrivacyCurve(events).delta(0, 1e-3);
    EXPECT_LE(delta.lower, exact * (1 + 1e-9)) << change;
    EXPECT_GE(delta.lower, exact * 0.995) << change;
    EXPECT_GE(delta.upper, exact * (1 - 1e-9)) << change;
    const Events dear{{"x", DiscreteLaplaceEvent{change, 1, kMost}, Neighbours::replace_one, 1}};
    EXPECT_EQ(PrivacyCurve(dear).delta(0).upper, 1) << change;
  }
}

TEST(AttainedDistribution, EveryDistributionHasTwoProbabilitiesAndLiesBelowTheDominatingOne) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto replace = Neighbours::replace_one;
  const Events events{{"x", DiscreteLaplaceEvent{100'000, 50'000, 1}, replace, 1},
                      {"x", KNormEvent{1000.5, 800}, replace, 1},
                      {"x", ExponentialEvent{3, 2, 1}, replace, 1},
                      {"x", PermuteAndFlipEvent{3, 2, 1}, replace, 1},
                      {"x", SampledGaussianEvent{1, 2, 0.1, Sampling::fixed_size}, replace, 1},
                      {"x", SampledLaplaceEvent{1, 2, 0.1, Sampling::fixed_size}, replace, 1},
                      {"x", SampledLaplaceEvent{1, 2, 0.1, Sampling::poisson}, replace, 1}};
  for (const PrivacyEvent& event : events) {
    SCOPED_TRACE(to_string(event.mechanism));
    const Distribution distribution = attained_distribution(event);
    ASSERT_TRUE(distribution);
    const Masses all = distribution->between(-infinity, infinity);
    EXPECT_NEAR(all.p, 1, 1e-9);
    EXPECT_NEAR(all.q, 1, 1e-9);
    PrivacyEvent many = event;
    many.repetitions = 20;
    const PrivacyCurve curve(Events{many});
    EXPECT_FALSE(curve.lower_is_partial());
    const Interval interval = curve.epsilon(1e-6, 1e-2);
    EXPECT_GT(interval.lower, 0.25 * interval.upper);
    EXPECT_LE(interval.lower, interval.upper);
  }
}

TEST(AttainedDistribution, WhatIsNotKnownFromBelowIsSaidToBeUnknown) {
  const PerturbedObjective objective{GradientSign::monotone, 1, 1, 2, 7.57742537767};
  const PrivacyEvent term{"term", ObjectivePerturbationEvent{objective, 0}, Neighbours::replace_one, 1};
  const PrivacyEvent sum{"sum", GaussianEvent{1, 4}, Neighbours::replace_one, 1};
  EXPECT_TRUE(PrivacyCurve(Events{term}).lower_is_partial());
  EXPECT_EQ(PrivacyCurve(Events{term}).epsilon(1e-5).lower, 0);
  const Interval both = PrivacyCurve(Events{term, sum}).epsilon(1e-5);
  EXPECT_NEAR(both.lower, epsilon_gaussian(0.25, 1e-5), 1e-3) << "the Gaussian release alone";
  EXPECT_TRUE(compare_accountants(Events{term, sum}, 1e-5).lower_is_partial);
}

}  // namespace
}  // namespace dperm::privacy
