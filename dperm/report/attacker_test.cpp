// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/attacker.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/privacy/composition/accountant.hpp"

namespace dperm::report {
namespace {

using privacy::Guarantee;
using privacy::PrivacyEvent;

double normal(double x) { return std::erfc(-x / std::sqrt(2)) / 2; }

// By bisection: nothing of the library.
double normal_quantile(double share) {
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) (normal((low + high) / 2) < share ? low : high) = (low + high) / 2;
  return (low + high) / 2;
}

TEST(Attacker, MeetsTheGaussianTradeOff) {
  // sensitivity 1, sigma 2, 4 times: mu = sqrt(4) / 2 = 1, whose curve is Phi(Phi^-1(a) + mu).
  const std::vector<PrivacyEvent> events = {
      {.what = "sums", .mechanism = privacy::GaussianEvent{1, 2}, .repetitions = 4}};
  const Guarantee guarantee = privacy::account(events, 1e-6);
  const Attacker attacker = attacker_of(events, guarantee, guarantee);
  EXPECT_TRUE(attacker.from_events);
  ASSERT_EQ(attacker.curve.size(), 45u);
  EXPECT_EQ(attacker.curve.front().false_positive_rate, 0);
  EXPECT_EQ(attacker.curve.back().false_positive_rate, 1);
  EXPECT_EQ(attacker.curve.back().true_positive_rate, 1);
  for (const auto& [wrong, right] : attacker.curve) {
    const double exact = wrong <= 0 || wrong >= 1 ? wrong : normal(normal_quantile(wrong) + 1);
    EXPECT_GE(right, exact - 1e-12) << wrong;
    EXPECT_LE(right, exact + 4e-3) << wrong << ": bounds come from finitely many epsilons";
  }
  EXPECT_GE(attacker.success, normal(0.5)) << "the best test has both errors alike";
  EXPECT_NEAR(attacker.success, normal(0.5), 1e-3);
}

TEST(Attacker, PureEpsilonIsTheTentOfTwoLines) {
  const std::vector<PrivacyEvent> events = {{.what = "answer", .mechanism = privacy::RandomisedResponseEvent{1}}};
  const Guarantee guarantee = privacy::account(events, 0);
  const Attacker attacker = attacker_of(events, guarantee, guarantee);
  for (const auto& [wrong, right] : attacker.curve) {
    const double exact = std::min(std::exp(1.0) * wrong, 1 - std::exp(-1.0) * (1 - wrong));
    EXPECT_NEAR(right, exact, 1e-9) << wrong;
  }
  EXPECT_NEAR(attacker.success, std::exp(1.0) / (1 + std::exp(1.0)), 1e-9) << "randomised response tells the truth so";
}

TEST(Attacker, ARowThatTrainsOrJudgesCostsTheDearerOfBoth) {
  const PrivacyEvent trains{.what = "sums", .mechanism = privacy::GaussianEvent{1, 4}};  // mu 0.25
  const PrivacyEvent judges{.what = "counts", .mechanism = privacy::RandomisedResponseEvent{0.5}};
  const std::vector<PrivacyEvent> events = {
      {.what = "both", .mechanism = privacy::DisjointPartsEvent{{{trains}, {judges}}}}};
  const Guarantee guarantee = privacy::account(events, 1e-6);
  const Attacker attacker = attacker_of(events, guarantee, guarantee);
  EXPECT_TRUE(attacker.from_events);
  EXPECT_NEAR(attacker.success, 1 / (1 + std::exp(-0.5)), 1e-6) << "an answer at random tells more";
  for (const auto& [wrong, right] : attacker.curve) {
    const double first = wrong <= 0 || wrong >= 1 ? wrong : normal(normal_quantile(wrong) + 0.25);
    const double second = std::min(std::exp(0.5) * wrong, 1 - std::exp(-0.5) * (1 - wrong));
    EXPECT_GE(right, std::max(first, second) - 1e-9) << wrong;
    EXPECT_LE(right, std::max(first, second) + 0.02) << wrong << ": the hull of both lies above them";
  }
}

TEST(Attacker, WhatWasInferredBeforeCountsToo) {
  const std::vector<PrivacyEvent> events = {{.what = "sums", .mechanism = privacy::GaussianEvent{1, 4}}};
  const Guarantee guarantee = privacy::account(events, 1e-6);
  Guarantee total = guarantee;
  total.epsilon += 0.5;
  total.delta = 2e-6;
  const Attacker alone = attacker_of(events, guarantee, guarantee), both = attacker_of(events, guarantee, total);
  EXPECT_FALSE(both.from_events);
  EXPECT_GT(both.success, alone.success);
  EXPECT_NEAR(both.curve[5].true_positive_rate,
              std::exp(total.epsilon) * both.curve[5].false_positive_rate + total.delta, 1e-9);
}

TEST(Attacker, EpsilonAndDeltaAloneBoundThePowerOfATest) {
  EXPECT_NEAR(power_at({.epsilon = std::log(2), .delta = 0.01}, 0.05), 0.11, 1e-9);
  EXPECT_NEAR(power_at({.epsilon = std::log(20), .delta = 0}, 0.5), 1 - 0.5 / 20, 1e-9);
  EXPECT_EQ(power_at({.epsilon = 1000, .delta = 0.1}, 0.05), 1);
}

TEST(Attacker, WordsRoundUp) {
  EXPECT_EQ(percent_above(0.535), "53.5%");
  EXPECT_EQ(percent_above(0.53501), "53.6%");
  EXPECT_EQ(percent_above(0.99951), "99.96%");
  EXPECT_EQ(percent_above(1), "100.00%");
  EXPECT_EQ(guess_text(0.535, {}),
            "someone who knows all other rows guesses right at most 53.5% of the time (a coin: 50%)");
  EXPECT_NE(guess_text(0.535, schema::Unit{"id", 3}).find("people's rows"), std::string::npos);
}

}  // namespace
}  // namespace dperm::report
