// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/privacy/curator/unseen_value.hpp"
#include "dperm/random/bits.hpp"

namespace dperm::privacy {
namespace {

using Counts = Curator::ValueCounts;

double tail(double z) { return boost::math::cdf(boost::math::complement(boost::math::normal(), z)); }

TEST(SelectValues, CommonValuesAreToldInTheOrderOfTheirTextsAndRareOnesAreNot) {
  random::SeededBits bits(1);
  Curator curator(bits);
  const Sensitive<Counts> counts(Counts{{{"z", 900}, {"a", 1000}, {"rare", 3}}, {}});
  const auto told = curator.select_values(counts, {2, 20, 200, 2}, "values");
  ASSERT_EQ(told.get().size(), 2u);
  ASSERT_EQ(told.get()[0].size(), 2u);
  EXPECT_EQ(told.get()[0][0].value, "a");
  EXPECT_EQ(told.get()[0][1].value, "z");
  EXPECT_TRUE(told.get()[1].empty());
  ASSERT_EQ(curator.events().size(), 1u);
  EXPECT_EQ(curator.events()[0].mechanism, Mechanism(SelectedCountsEvent{2, 20, 200, 2}));
}

TEST(SelectValues, CountsHaveTheirNoise) {
  // 2,000 counts of 500 told with sigma 30: mean within 4 standard errors (false alarm 6e-5), spread within 8%.
  random::SeededBits bits(2);
  Curator curator(bits);
  Counts counts(1);
  for (int i = 0; i < 2000; ++i) counts[0].push_back({std::to_string(i), 500});
  const auto told = curator.select_values(Sensitive<Counts>(counts), {2, 30, 1, 1}, "values");
  ASSERT_EQ(told.get()[0].size(), 2000u);
  double mean = 0, square = 0;
  for (const auto& each : told.get()[0]) mean += static_cast<double>(each.count) / 2000;
  for (const auto& each : told.get()[0]) square += std::pow(static_cast<double>(each.count) - mean, 2) / 2000;
  EXPECT_NEAR(mean, 500, 4 * 30 / std::sqrt(2000));
  EXPECT_NEAR(std::sqrt(square), 30, 0.08 * 30);
}

TEST(SelectValues, TheBoundOnUnseenValuesIsAboveTheExactTailAndNear) {
  for (const double sigma : {1.0, 20.0, 3000.0}) {
    for (const std::uint64_t values : {1u, 50u}) {
      const std::uint64_t threshold = threshold_for(sigma, values, 1e-9);
      const SelectedCountsEvent event{1, sigma, threshold, values};
      const double exact = static_cast<double>(values) * tail((static_cast<double>(threshold) - 0.5) / sigma);
      EXPECT_LE(unseen_value_probability(event), 1e-9);
      EXPECT_GE(unseen_value_probability(event), exact);
      EXPECT_LE(unseen_value_probability(event), 1.05 * exact);
    }
  }
  EXPECT_EQ(unseen_value_probability({1, 10, 5, 1}), 1);
}

// The exact delta of one count that is 1 in one neighbour and not there in the other, from both sides, against what the
// accountant promises.
TEST(SelectValues, AValueThatOneRecordHasStaysWithinTheGuarantee) {
  const double sigma = 4;
  for (const std::uint64_t threshold : {10u, 14u, 18u}) {
    const PrivacyEvent event{.what = "values", .mechanism = SelectedCountsEvent{1, sigma, threshold, 1}};
    const double told = tail((static_cast<double>(threshold) - 1.5) / sigma);  // count 1: the value shows, exactly then
    for (const double delta : {0.02, 0.05, 0.2}) {
      if (delta <= 3 * tail((static_cast<double>(threshold) - 0.5) / sigma)) continue;
      const Guarantee guarantee = account(std::span(&event, 1), delta);
      // With the record: told with this probability, which without it is 0. Without: hidden for certain.
      EXPECT_LE(told, delta);
      EXPECT_LE(1 - std::exp(guarantee.epsilon) * (1 - told), delta);
      EXPECT_GE(guarantee.epsilon, epsilon_gaussian(1 / sigma, delta));
    }
  }
}

TEST(SelectValues, ADeltaThatUnseenValuesUseUpIsRefused) {
  const PrivacyEvent event{.what = "values", .mechanism = SelectedCountsEvent{1, 10, 40, 1}};
  EXPECT_THROW(account(std::span(&event, 1), 1e-9), ArgumentError);
  EXPECT_NO_THROW(account(std::span(&event, 1), 1e-3));
  EXPECT_THROW(validate(Mechanism(SelectedCountsEvent{1, 10, 0, 1})), ArgumentError);
  EXPECT_THROW(validate(Mechanism(SelectedCountsEvent{1, 10, 40, 0})), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
