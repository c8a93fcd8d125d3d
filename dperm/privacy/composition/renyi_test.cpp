// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/renyi.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"

namespace dperm::privacy {
namespace {

using Events = std::vector<PrivacyEvent>;

PrivacyEvent sampled(double rate, double sigma, std::int64_t steps, Neighbours neighbours = Neighbours::add_remove) {
  return {"x", SampledGaussianEvent{1, sigma, rate, Sampling::poisson}, neighbours, steps};
}
PrivacyEvent selection(RepetitionDistribution distribution, double shape, double parameter) {
  return {"best", SelectionEvent{distribution, shape, parameter, 0, 0.3}, Neighbours::replace_one, 1};
}

TEST(Renyi, SampledGaussianHasTheKnownDivergences) {
  const Events events{sampled(0.01, 1, 1)};
  EXPECT_NEAR(renyi_divergence(events, 2), 1.71813422075e-4, 1e-10);
  EXPECT_NEAR(renyi_divergence(events, 8), 8.93643907606e-4, 1e-10);
  EXPECT_NEAR(renyi_divergence(events, 32), 11.246275937, 1e-7);
}

TEST(Renyi, PrivateSelectionHasTheKnownDivergences) {
  const auto tnb = RepetitionDistribution::truncated_negative_binomial;
  EXPECT_NEAR(renyi_divergence(Events{selection(tnb, 1, 0.1)}, 20), 2.21876830488, 1e-3);
  EXPECT_GE(renyi_divergence(Events{selection(tnb, 1, 0.1)}, 20), 2.21876830488);
  EXPECT_NEAR(renyi_divergence(Events{selection(tnb, 0, 0.1)}, 20), 1.57053676221, 1e-3);
  EXPECT_NEAR(renyi_divergence(Events{selection(RepetitionDistribution::poisson, 0, 10)}, 20), 1.99946754197, 1e-9);
  EXPECT_NEAR(renyi_epsilon(Events{selection(tnb, 1, 0.1)}, 1e-6), 2.72852260741, 0.01);
  EXPECT_NEAR(renyi_epsilon(Events{selection(tnb, 0, 0.1)}, 1e-6), 2.07447439006, 0.01);
  EXPECT_NEAR(renyi_epsilon(Events{selection(RepetitionDistribution::poisson, 0, 10)}, 1e-6), 2.47210445192, 0.01);
  EXPECT_EQ(account(Events{selection(tnb, 1, 0.1)}, 1e-6).accountant, "renyi");
}

// The base of the selection above, told by its releases; a weaker run beside it changes nothing.
TEST(Renyi, ABaseOfReleasesCostsWhatItsDearestAlternativeDoes) {
  const PrivacyEvent strong{"score", GaussianEvent{0.3, 1}, Neighbours::replace_one, 1};
  const PrivacyEvent weak{"score", GaussianEvent{0.1, 1}, Neighbours::replace_one, 1};
  for (const PrivacyEvent& event : {selection(RepetitionDistribution::truncated_negative_binomial, 1, 0.1),
                                    selection(RepetitionDistribution::truncated_negative_binomial, 0, 0.1),
                                    selection(RepetitionDistribution::poisson, 0, 10)}) {
    const double expected = renyi_divergence(Events{event}, 20);
    for (const std::vector<Events>& alternatives : {std::vector<Events>{{strong}}, {{weak}, {strong}, {weak, weak}}}) {
      PrivacyEvent told = event;
      auto& base = std::get<SelectionEvent>(told.mechanism);
      base.base_mu = 0;
      base.alternatives = alternatives;
      EXPECT_GE(renyi_divergence(Events{told}, 20), expected * (1 - 1e-9));
      EXPECT_LE(renyi_divergence(Events{told}, 20), expected * 1.01);
      EXPECT_NEAR(account(Events{told}, 1e-6).epsilon, account(Events{event}, 1e-6).epsilon, 0.01);
    }
  }
}

// Reference: the trapezoidal rule for the divergence and a Fourier transform of losses rounded to 2e-5 for delta, in
// numpy; the latter gives the published 1e-5 at epsilon 1.205210 for the first case.
TEST(Renyi, ASelectionAmongRunsOfSampledReleasesHasItsReferenceDivergences) {
  struct Case {
    double rate, sigma;
    std::int64_t steps;
    double order, poisson, geometric;
  };
  for (const Case& each : {Case{0.01, 2, 1000, 4, 1.329903567702582, 2.2308819056852434},
                           Case{0.01, 2, 1000, 8, 1.4852822834129016, 1.9939833344523805},
                           Case{0.01, 2, 1000, 16, 1.957690705284777, 2.223508829153783},
                           Case{0.05, 5, 300, 4, 1.457664152300458, 2.373059046392912},
                           Case{0.05, 5, 300, 8, 1.6729613399306291, 2.174177750272965},
                           Case{0.05, 5, 300, 16, 2.223706636963603, 2.478899902461379}}) {
    const Events run{sampled(each.rate, each.sigma, each.steps, Neighbours::replace_one)};
    const auto divergence = [&](RepetitionDistribution distribution, double shape, double parameter) {
      const SelectionEvent best{distribution, shape, parameter, 0, 0, {run}};
      return renyi_divergence(Events{{"best", best, Neighbours::replace_one, 1}}, each.order);
    };
    EXPECT_NEAR(divergence(RepetitionDistribution::poisson, 0, 10), each.poisson, 0.01);
    EXPECT_GE(divergence(RepetitionDistribution::poisson, 0, 10), each.poisson * (1 - 1e-4));
    EXPECT_NEAR(divergence(RepetitionDistribution::truncated_negative_binomial, 1, 0.1), each.geometric, 0.002);
    EXPECT_GE(divergence(RepetitionDistribution::truncated_negative_binomial, 1, 0.1), each.geometric * (1 - 1e-4));
  }
}

TEST(Renyi, ABaseWithoutKnownDivergencesHasNoPrice) {
  const PrivacyEvent fixed{"x", SampledGaussianEvent{1, 2, 0.1, Sampling::fixed_size}, Neighbours::replace_one, 1};
  const SelectionEvent best{RepetitionDistribution::poisson, 0, 10, 0, 0, {{fixed}}};
  EXPECT_TRUE(std::isinf(account(Events{{"best", best, Neighbours::replace_one, 1}}, 1e-6).epsilon));
}

// Whatever else is released, a Gaussian release keeps its price.
TEST(Renyi, ASelectionThatSeldomRunsEarnsNoPrivacyForOtherReleases) {
  const PrivacyEvent gaussian{"sum", GaussianEvent{1, 1}, Neighbours::replace_one, 1};
  for (const double mean : {1e-9, 1e-3, 0.5, 1.0, 3.0}) {
    PrivacyEvent seldom = selection(RepetitionDistribution::poisson, 0, mean);
    seldom.repetitions = 20;
    EXPECT_GE(account(Events{seldom, gaussian}, 1e-6).epsilon, account(Events{gaussian}, 1e-6).epsilon) << mean;
    for (const double order : {1.05, 2.0, 20.0, 500.0}) EXPECT_GE(renyi_divergence(Events{seldom}, order), 0) << mean;
  }
}

TEST(Renyi, SmallPureEpsilonsKeepTheirDigits) {
  // Order 2 of randomised response: ln(1 + 2 sinh(e) sinh(e/2) / cosh(e/2)) = e^2 - 5 e^4/12 + ...
  for (const double epsilon : {1e-3, 1e-5, 1e-7}) {
    const Events events{{"x", RandomisedResponseEvent{epsilon}, Neighbours::replace_one, 1}};
    const double square = epsilon * epsilon;
    EXPECT_NEAR(renyi_divergence(events, 2), square - 5 * square * square / 12, 4e-12 * square) << epsilon;
  }
}

TEST(Renyi, PureSelectionCostsTwoPlusShape) {
  const PrivacyEvent event{"best", SelectionEvent{RepetitionDistribution::truncated_negative_binomial, 1, 0.1, 0.5, 0},
                           Neighbours::replace_one, 1};
  EXPECT_NEAR(account(Events{event}, 0).epsilon, 1.5, 1e-9);
}

TEST(Renyi, IsNeverBelowThePrivacyLossInterval) {
  for (const double rate : {0.001, 0.02, 0.3}) {
    for (const double sigma : {0.7, 1.5, 6.0}) {
      for (const std::int64_t steps : {1, 40, 2500}) {
        const Events events{sampled(rate, sigma, steps)};
        const Interval interval = PrivacyCurve(events).epsilon(1e-6, 1e-2);
        EXPECT_LE(interval.lower, interval.upper);
        EXPECT_GE(renyi_epsilon(events, 1e-6), interval.lower) << rate << ' ' << sigma << ' ' << steps;
      }
    }
  }
}

TEST(Renyi, AnswersWhereLossDistributionsCannot) {
  const Events events{sampled(0.01, 1, 100)};
  EXPECT_EQ(account(events, 1e-6).accountant, "privacy-loss");
  const double delta = 1e-289;  // less than a hundred losses that doubles cannot hold
  EXPECT_EQ(account(events, delta).accountant, "renyi");
  EXPECT_EQ(account(events, delta).epsilon, renyi_epsilon(events, delta));
  EXPECT_LT(account(events, delta).epsilon, 1000);
}

}  // namespace
}  // namespace dperm::privacy
