// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/calibration/find.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dperm/core/error.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/calibration/search.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/events/event_fields.hpp"

namespace dperm::privacy {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

PrivacyEvent release(Mechanism mechanism, std::int64_t repetitions = 1) {
  return {"x", std::move(mechanism), Neighbours::replace_one, repetitions};
}

TEST(Find, NoiseOfAGaussianIsTheAnalyticOneWhateverItHadBefore) {
  for (const double before : {0.0, 7.0, kNan}) {
    for (const double sensitivity : {0.5, 2.0}) {
      const auto found = find_noise(release(GaussianEvent{sensitivity, before}, 4), 1, 1e-5);
      const double sigma = std::get<GaussianEvent>(found.mechanism).sigma, least = sigma_for(sensitivity, 1, 1e-5, 4);
      EXPECT_GE(sigma, least * (1 - 1e-9));
      EXPECT_LE(sigma, least * 1.001);
      EXPECT_LE(account(std::span(&found, 1), 1e-5).epsilon, 1);
      EXPECT_EQ(found.repetitions, 4);
    }
  }
}

TEST(Find, StepsAndRateKeepThePromise) {
  const SampledGaussianEvent step{1, 2, 0.01, Sampling::poisson};
  const auto steps = find_steps(release(step), 1, 1e-5);
  EXPECT_GT(steps.repetitions, 10);
  EXPECT_TRUE(keeps({steps}, 1, 1e-5));
  const auto rate = find_rate(release(step, 100), 1, 1e-5);
  EXPECT_GT(std::get<SampledGaussianEvent>(rate.mechanism).rate, 0.01);
  EXPECT_TRUE(keeps({rate}, 1, 1e-5));
}

TEST(Find, OnlyWhatHasTheNumberIsSearched) {
  EXPECT_EQ(noise_field(GaussianEvent{}), "sigma");
  EXPECT_EQ(noise_field(KNormEvent{}), "scale");
  EXPECT_EQ(noise_field(SampledLaplaceEvent{}), "scale");
  EXPECT_EQ(rate_field(SampledGaussianEvent{}), "rate");
  EXPECT_EQ(rate_field(GaussianEvent{}), std::nullopt);
  for (const std::string_view word : kMechanismWords) {
    const PrivacyEvent event = release(empty_mechanism(word).value());
    if (!noise_field(event.mechanism)) {
      EXPECT_THROW(find_noise(event, 1, 1e-5), ArgumentError) << word;
    }
    if (!rate_field(event.mechanism)) {
      EXPECT_THROW(find_rate(event, 1, 1e-5), ArgumentError) << word;
    }
  }
}

TEST(Find, TheImpossibleIsRefused) {
  for (const double bad : {0.0, -1.0, kNan}) {
    EXPECT_THROW(find_noise(release(GaussianEvent{bad, 1}), 1, 1e-5), ArgumentError);
    EXPECT_THROW(find_noise(release(GaussianEvent{1, 1}), bad, 1e-5), ArgumentError);
    EXPECT_THROW(find_rate(release(SampledGaussianEvent{1, bad, 1, Sampling::poisson}), 1, 1e-5), ArgumentError);
    EXPECT_THROW(find_steps(release(GaussianEvent{1, bad}), 1, 1e-5), ArgumentError);
  }
  EXPECT_THROW(find_noise(release(GaussianEvent{1, 1}), 1, 0), ArgumentError) << "Gaussian noise is never pure";
  EXPECT_THROW(find_steps(release(GaussianEvent{1, 0.1}), 0.1, 1e-5), ArgumentError) << "even one is too many";
}

}  // namespace
}  // namespace dperm::privacy
