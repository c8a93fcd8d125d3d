// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/events/group.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/curator/curator.hpp"

namespace dperm::privacy {
namespace {

double epsilon_of(const Mechanism& mechanism, double delta, Neighbours neighbours = Neighbours::replace_one) {
  const PrivacyEvent event{"release", mechanism, neighbours, 1};
  return account(std::span(&event, 1), delta).epsilon;
}

TEST(Group, GaussianReleasesHaveTheirMuTimesTheRows) {
  EXPECT_EQ(std::get<GaussianEvent>(for_group(GaussianEvent{2, 8}, 5)).l2_sensitivity, 10);
  EXPECT_NEAR(epsilon_of(for_group(GaussianEvent{2, 80}, 5), 1e-6), epsilon_gaussian(5 * 2.0 / 80, 1e-6), 1e-12);
  const Mechanism all = for_group(SampledGaussianEvent{1, 80, 1}, 5);
  EXPECT_NEAR(epsilon_of(all, 1e-6), epsilon_gaussian(2 * 5.0 / 80, 1e-6), 1e-12);
  EXPECT_NEAR(epsilon_of(all, 1e-6, Neighbours::add_remove), epsilon_gaussian(5.0 / 80, 1e-6), 1e-12);
}

TEST(Group, PureReleasesHaveTheirEpsilonTimesTheRows) {
  const PureObjective objective{GradientSign::monotone, 1, 0.25, 4, 10, 0};
  const Mechanism mechanisms[] = {DiscreteLaplaceEvent{1, 20, 1}, KNormEvent{1, 20},
                                  ExponentialEvent{1, 20, 1},     PermuteAndFlipEvent{1, 20, 1},
                                  RandomisedResponseEvent{0.05},  PureObjectiveEvent{objective},
                                  SampledLaplaceEvent{0.5, 20, 1}};
  for (const Mechanism& mechanism : mechanisms) {
    EXPECT_NEAR(epsilon_of(for_group(mechanism, 7), 0), 7 * epsilon_of(mechanism, 0), 1e-9) << to_string(mechanism);
  }
}

TEST(Group, ADensityHasItsGradientsTimesTheRows) {
  const RegularisedExponentialEvent density{1, 0.01, 4, 0, 0};
  EXPECT_NEAR(epsilon_of(for_group(density, 3), 1e-6), epsilon_gaussian(3 * 0.1 / 2, 1e-6), 1e-6);
}

TEST(Group, OneRowIsTheEventItself) {
  const Mechanism mechanism = SelectionEvent{RepetitionDistribution::poisson, 0, 5, 0.1, 0};
  EXPECT_EQ(for_group(mechanism, 1), mechanism);
}

TEST(Group, RefusesWhatHasNoTheorem) {
  const Mechanism refused[] = {ObjectivePerturbationEvent{{GradientSign::monotone, 1, 0.25, 4, 10, 0}, 0},
                               SampledGaussianEvent{1, 8, 0.1, Sampling::fixed_size},
                               SampledLaplaceEvent{1, 8, 0.1, Sampling::poisson},
                               SelectionEvent{RepetitionDistribution::poisson, 0, 5, 0.1, 0}};
  for (const Mechanism& mechanism : refused) {
    EXPECT_THROW(for_group(mechanism, 2), ArgumentError) << to_string(mechanism);
  }
  EXPECT_THROW(for_group(GaussianEvent{1, 8}, 0), ArgumentError);
  EXPECT_THROW(for_group(GaussianEvent{1, 8}, 1001), ArgumentError);
  EXPECT_THROW(for_group(DiscreteLaplaceEvent{std::uint64_t{1} << 63, 1, 1}, 2), ArgumentError);
  EXPECT_THROW(validate(Mechanism(SampledGaussianEvent{1, 8, 0.1, Sampling::fixed_size, 2})), ArgumentError);
}

TEST(Group, ProductsAreNotBelowTheRealOnes) {
  const double third = 1.0 / 3;
  for (std::uint64_t rows = 1; rows <= 1000; ++rows) {
    const long double exact = static_cast<long double>(third) * static_cast<long double>(rows);
    EXPECT_GE(static_cast<long double>(times(third, rows)), exact) << rows;
    EXPECT_LE(static_cast<long double>(times(third, rows)), exact * (1 + 0x1p-51L)) << rows;
  }
}

TEST(Group, TheCuratorRecordsWhatThePersonPays) {
  random::SeededBits bits(1);
  Curator curator(bits, Neighbours::replace_one, 5);
  const Sensitive<std::vector<std::int64_t>> query(std::vector<std::int64_t>{1, 2});
  curator.release(query, GaussianEvent{2, 80}, "sum");
  curator.release(query, GaussianEvent{2, 80}, "sum");
  const auto none = [](const Sensitive<SharedSample>&) {
    return Sensitive<std::vector<std::int64_t>>(std::vector<std::int64_t>{0});
  };
  curator.release(none, 10, SampledGaussianEvent{1, 80, 0.5}, "sample");
  const std::vector<PrivacyEvent> expected = {{"sum", GaussianEvent{10, 80}, Neighbours::replace_one, 2},
                                              {"sample", SampledGaussianEvent{1, 80, 0.5, Sampling::poisson, 5}}};
  EXPECT_EQ(curator.events(), expected);
  EXPECT_THROW(curator.release(none, 10, SampledGaussianEvent{1, 80, 0.5, Sampling::fixed_size}, "sample"),
               ArgumentError);
  EXPECT_EQ(curator.events(), expected) << "nothing leaves, and nothing is recorded";
}

}  // namespace
}  // namespace dperm::privacy
