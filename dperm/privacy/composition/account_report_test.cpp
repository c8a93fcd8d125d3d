// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/account_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"

namespace dperm::privacy {
namespace {

using Events = std::vector<PrivacyEvent>;
constexpr double kDelta = 1e-6;

PrivacyEvent release(Mechanism mechanism, std::int64_t repetitions = 1) {
  return {"x", std::move(mechanism), Neighbours::replace_one, repetitions};
}

std::vector<Events> lists() {
  const PerturbedObjective objective{GradientSign::monotone, 1, 1, 2, 7.5};
  return {{release(GaussianEvent{1, 5}, 100)},
          {release(DiscreteLaplaceEvent{1, 5, 2})},
          {release(RandomisedResponseEvent{0.1}, 1000)},
          {release(GaussianEvent{1, 5}), release(KNormEvent{1, 4}, 3)},
          {release(SampledGaussianEvent{1, 1, 0.01, Sampling::poisson}, 200)},
          {release(ObjectivePerturbationEvent{objective, 1e-9}), release(KNormEvent{1, 400})},
          {release(SelectionEvent{RepetitionDistribution::poisson, 0, 5, 0, 0.1})},
          {release(RegularisedExponentialEvent{1, 0.1, 1, 1e-9, 1e-12})},
          {release(ExponentialEvent{1, 49, 2}, 16)},
          {release(ObjectivePerturbationEvent{objective, 1e-9}),
           release(SelectionEvent{RepetitionDistribution::truncated_negative_binomial, 1, 0.2, 0, 0.1})}};
}

// The least that any accountant proves at this delta.
double least(const Comparison& c) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& each : {c.pure, c.basic, c.advanced, c.zcdp, c.renyi, c.gaussian_dp}) {
    best = std::min(best, each.value_or(best));
  }
  return c.privacy_loss ? std::min(best, c.privacy_loss->upper) : best;
}

TEST(AccountReport, ItsGuaranteeIsThatOfAccount) {
  for (const Events& events : lists()) {
    for (const double width : {kDefaultWidth, 1e-2}) {
      const AccountReport result = report(events, {.delta = kDelta, .width = width});
      EXPECT_EQ(result.guarantee, account(events, kDelta, width)) << to_string(events[0].mechanism);
    }
    EXPECT_EQ(report(events, {.delta = kDelta}).guarantee, account(events, kDelta));
  }
}

// One rule decides; no accountant beside it proves a smaller promise, but that delta 0 is given up for 5% only.
TEST(AccountReport, NoOtherAccountantProvesLess) {
  for (const Events& events : lists()) {
    const AccountReport result = report(events, {.delta = kDelta});
    const double epsilon = result.guarantee->epsilon, other = least(*result.comparison);
    if (result.guarantee->pure) {
      EXPECT_GE(other, 0.95 * epsilon) << to_string(events[0].mechanism);
    } else {
      EXPECT_GE(other, epsilon) << to_string(events[0].mechanism);
    }
  }
}

TEST(AccountReport, AnAttackerOfNoisyReleasesGainsLittle) {
  const auto attack = report(Events{release(RandomisedResponseEvent{0.1})}, {.delta = 0.0}).attack.value();
  // The best guess is right with probability e^epsilon / (1 + e^epsilon).
  EXPECT_NEAR(attack.success, 1 / (1 + std::exp(-0.1)), 1e-3);
  EXPECT_NEAR(attack.advantage, std::tanh(0.05), 2e-3);
  for (const auto& [wrong, right] : attack.rates) {
    EXPECT_GE(right, std::exp(0.1) * wrong * (1 - 1e-9));
    EXPECT_LE(right, std::exp(0.1) * wrong * 1.05);
  }
}

TEST(AccountReport, DeltaAtAnEpsilonAlsoForGroups) {
  const Events events{release(GaussianEvent{1, 5})};
  const AccountReport result = report(events, {.epsilon = 0.5, .group = 3});
  EXPECT_EQ(result.guarantee, std::nullopt);
  ASSERT_TRUE(result.delta && result.group_delta);
  EXPECT_LE(result.delta->lower, result.delta->upper);
  EXPECT_GT(*result.group_delta, result.delta->upper);
  EXPECT_EQ(report(events, {.epsilon = 0.5}).group_delta, std::nullopt);
}

TEST(AccountReport, WhatAsksNothingOrTheImpossibleIsRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Events events{release(GaussianEvent{1, 5})};
  const Events selection{release(SelectionEvent{RepetitionDistribution::poisson, 0, 5, 0, 0.1})};
  EXPECT_THROW(report(events, {}), ArgumentError);
  EXPECT_THROW(report(Events{}, {.delta = kDelta}), ArgumentError);
  EXPECT_THROW(report(events, {.epsilon = 1, .group = 0}), ArgumentError);
  EXPECT_THROW(report(events, {.delta = kDelta, .group = 2}), ArgumentError);
  EXPECT_THROW(report(selection, {.epsilon = 1}), ArgumentError);
  for (const double bad : {-1.0, kNan, 1e9}) EXPECT_THROW(report(events, {.epsilon = bad}), ArgumentError);
  for (const double bad : {0.0, -1.0, kNan})
    EXPECT_THROW(report(events, {.delta = kDelta, .width = bad}), ArgumentError);
  for (const double bad : {0.0, 1.0, kNan}) EXPECT_THROW(report(events, {.delta = bad}), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
