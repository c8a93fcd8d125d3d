// SPDX-License-Identifier: Apache-2.0
// The comparison of accountants, and the search for noise, steps and rates.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/privacy/calibration/search.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/comparison.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::privacy {
namespace {

using Events = std::vector<PrivacyEvent>;

PrivacyEvent sampled(double rate, double sigma, std::int64_t steps, Neighbours neighbours = Neighbours::add_remove) {
  return {"x", SampledGaussianEvent{1, sigma, rate, Sampling::poisson}, neighbours, steps};
}

TEST(Comparison, OrdersTheAccountantsOfAGaussianListAsTheoryDoes) {
  const Events events{{"x", GaussianEvent{1, 20}, Neighbours::replace_one, 100}};
  const Comparison c = compare_accountants(events, 1e-5);
  const double exact = epsilon_gaussian(0.5, 1e-5);
  EXPECT_DOUBLE_EQ(*c.gaussian_dp, exact);
  EXPECT_LE(c.privacy_loss->lower, exact);
  EXPECT_GE(c.privacy_loss->upper, exact);
  EXPECT_LT(exact, *c.renyi);
  EXPECT_LE(*c.zcdp, *c.renyi * 1.01);
  EXPECT_LT(*c.zcdp, *c.advanced);
  EXPECT_LT(*c.advanced, *c.basic);
  EXPECT_FALSE(c.pure);
}

TEST(Comparison, RepeatedObjectivesComposeBetterThanByAddingTheirEpsilons) {
  const PerturbedObjective objective{GradientSign::monotone, 1, 1, 2, 7.57742537767};
  const PrivacyEvent one{"term", ObjectivePerturbationEvent{objective, 0}, Neighbours::replace_one, 1};
  const Interval single = PrivacyCurve(Events{one}).epsilon(1e-5, 1e-4);
  EXPECT_GE(single.upper, 1 - 1e-6) << "sigma is the smallest for epsilon 1";
  EXPECT_LT(single.upper, 1.0005);
  PrivacyEvent five = one;
  five.repetitions = 5;
  const Guarantee guarantee = account(Events{five}, 1e-5);
  EXPECT_EQ(guarantee.accountant, "privacy-loss");
  EXPECT_LT(guarantee.epsilon, 3.7) << "adding them up costs more than 5";
  EXPECT_GT(guarantee.epsilon, epsilon_gaussian(std::sqrt(5.0) * 2 / objective.sigma, 1e-5));
}

TEST(Comparison, ObjectivesAreNotAccountedForUnderARelationTheirProofDoesNotCover) {
  const PerturbedObjective objective{GradientSign::monotone, 1, 1, 2, 7.57742537767};
  PrivacyEvent one{"term", ObjectivePerturbationEvent{objective, 0}, Neighbours::replace_one, 1};
  EXPECT_NO_THROW(account(Events{one}, 1e-5));
  one.neighbours = Neighbours::add_remove;
  EXPECT_THROW(account(Events{one}, 1e-5), ArgumentError);
}

TEST(Comparison, LittleLaplaceNoiseOnASampleHasAFiniteEpsilon) {
  const Events events{{"x", SampledLaplaceEvent{1, 0.001, 0.5, Sampling::poisson}, Neighbours::add_remove, 2}};
  EXPECT_NEAR(pure_epsilon(events), 2000 - 2 * std::log(2.0), 1e-6);
}

TEST(Comparison, ObjectivesThatDifferInCurvatureOnlyAreNotJoined) {
  const auto of = [](double curvature) {
    return PrivacyEvent{"term", ObjectivePerturbationEvent{{GradientSign::monotone, 1, curvature, 4, 7}, 0},
                        Neighbours::replace_one, 1};
  };
  EXPECT_EQ(distributions_of(Events{of(1), of(3)}).distributions.size(), 2U);
  EXPECT_EQ(distributions_of(Events{of(1), of(1)}).distributions.size(), 1U);
  EXPECT_GT(PrivacyCurve(Events{of(1), of(3)}).epsilon(1e-5).upper,
            PrivacyCurve(Events{of(1), of(1)}).epsilon(1e-5).upper);
}

TEST(Comparison, ManyDifferentSampledReleasesStayInsideTheirBounds) {
  Events events;
  for (int i = 0; i < 20000; ++i) events.push_back(sampled(0.01, 4 + 1e-4 * i, 1));
  const Interval all = PrivacyCurve(events).epsilon(1e-5, 1e-2);
  const Interval least = PrivacyCurve(Events{sampled(0.01, 6, 20000)}).epsilon(1e-5, 1e-2);
  const Interval most = PrivacyCurve(Events{sampled(0.01, 4, 20000)}).epsilon(1e-5, 1e-2);
  EXPECT_LE(all.lower, all.upper);
  EXPECT_GT(all.lower, least.lower - 0.06);
  EXPECT_LT(all.upper, most.upper);
  EXPECT_LT(all.upper - all.lower, 0.2);
}

TEST(Search, NoiseStepsAndRateKeepTheirPromiseAndLittleMore) {
  const double epsilon = 2, delta = 1e-5;
  const auto at_sigma = [](double sigma) { return Events{sampled(0.02, sigma, 500)}; };
  const double sigma = smallest_noise(at_sigma, epsilon, delta, 0.1, 100);
  EXPECT_TRUE(keeps(at_sigma(sigma), epsilon, delta));
  EXPECT_GT(PrivacyCurve(at_sigma(sigma * 0.999)).epsilon(delta, 1e-4).lower, epsilon) << "0.1% less is too little";

  const auto at_rate = [](double rate) { return Events{sampled(rate, 1.2, 500)}; };
  const double rate = largest_rate(at_rate, epsilon, delta, 1e-6, 1);
  EXPECT_TRUE(keeps(at_rate(rate), epsilon, delta));
  EXPECT_GT(PrivacyCurve(at_rate(rate * 1.001)).epsilon(delta, 1e-4).lower, epsilon);

  const std::int64_t steps = most_steps(sampled(0.01, 1, 1), epsilon, delta, 1 << 20);
  EXPECT_TRUE(keeps({sampled(0.01, 1, steps)}, epsilon, delta));
  EXPECT_GT(PrivacyCurve(Events{sampled(0.01, 1, steps + steps / 500 + 1)}).epsilon(delta, 1e-4).lower, epsilon);
}

}  // namespace
}  // namespace dperm::privacy
