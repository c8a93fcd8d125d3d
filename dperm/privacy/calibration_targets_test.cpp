// SPDX-License-Identifier: Apache-2.0
// Calibration on ten thousand random targets: never too little noise, and hardly too much.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/calibration.hpp"
#include "dperm/privacy/gaussian_dp.hpp"
#include "dperm/privacy/privacy_curve.hpp"
#include "dperm/privacy/search.hpp"

namespace dperm::privacy {
namespace {

using Events = std::vector<PrivacyEvent>;

PrivacyEvent sampled(double rate, double sigma, std::int64_t steps, Neighbours neighbours) {
  return {"x", SampledGaussianEvent{1, sigma, rate, Sampling::poisson}, neighbours, steps};
}

// Exact mechanisms, where both directions are cheap to check.
TEST(CalibrationTargets, NineThousandRandomGaussianTargetsAreMetAndATenthOfAPercentLessNoiseMissesThem) {
  std::mt19937_64 random(3);
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  for (int i = 0; i < 9000; ++i) {
    const double epsilon = between(1e-2, 50), delta = between(1e-12, 0.1), sensitivity = between(1e-3, 1e6);
    const auto steps = static_cast<std::int64_t>(between(1, 1e5));
    const double sigma = sigma_for(sensitivity, epsilon, delta, steps);
    const double mu = sensitivity * std::sqrt(static_cast<double>(steps)) / sigma;
    ASSERT_LE(delta_gaussian(epsilon, mu * (1 - 1e-12)), delta) << epsilon << ' ' << delta;
    ASSERT_GT(delta_gaussian(epsilon, mu / 0.999), delta) << epsilon << ' ' << delta;
  }
}

TEST(CalibrationTargets, AThousandRandomPureTargetsAreMetAndATenthOfAPercentLessNoiseMissesThem) {
  std::mt19937_64 random(4);
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  for (int i = 0; i < 1000; ++i) {
    const double epsilon = between(1e-2, 50), sensitivity = between(1, 1e6);
    const auto steps = static_cast<std::int64_t>(between(1, 1000));
    const double scale = k_norm_scale_for(sensitivity, epsilon, steps);
    const auto cost = [&](double at) {
      return pure_epsilon(Events{{"x", KNormEvent{sensitivity, at}, Neighbours::replace_one, steps}});
    };
    ASSERT_LE(cost(scale), epsilon);
    ASSERT_GT(cost(0.999 * scale), epsilon);
    const auto whole = static_cast<std::uint64_t>(sensitivity);
    const LaplaceScale lattice = laplace_scale_for(whole, epsilon, steps);
    const double t = static_cast<double>(lattice.numerator) / static_cast<double>(lattice.denominator);
    ASSERT_LE(pure_epsilon(Events{
                  {"x", LaplaceEvent{whole, lattice.numerator, lattice.denominator}, Neighbours::replace_one, steps}}),
              epsilon);
    ASSERT_GT(static_cast<double>(whole) * static_cast<double>(steps) / (0.999 * t), epsilon);
  }
}

TEST(CalibrationTargets,
     TwentyFourRandomTargetsOfThePrivacyLossAccountantAreMetAndATenthOfAPercentLessNoiseMissesThem) {
  std::mt19937_64 random(5);
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  for (int i = 0; i < 24; ++i) {
    const double epsilon = between(0.3, 8), delta = between(1e-8, 1e-3), rate = between(1e-3, 0.2);
    const auto steps = static_cast<std::int64_t>(between(10, 1000));
    const Neighbours relation = i % 2 == 0 ? Neighbours::add_remove : Neighbours::replace_one;
    const bool laplace = i % 8 == 0;
    const EventsAt at = [&](double noise) -> Events {
      if (laplace)
        return {{"x", SampledLaplaceEvent{1, noise, rate, Sampling::poisson}, Neighbours::add_remove, steps}};
      return {sampled(rate, noise, steps, relation)};
    };
    const double noise = smallest_noise(at, epsilon, delta, 0.1, 1000);
    EXPECT_LE(PrivacyCurve(at(noise)).epsilon(delta, 1e-4 * epsilon).upper, epsilon);
    if (noise < 0.11) continue;  // the least noise that was asked about is enough
    EXPECT_GT(PrivacyCurve(at(0.999 * noise)).epsilon(delta, 5e-5 * epsilon).lower, epsilon)
        << epsilon << ' ' << delta << ' ' << rate << ' ' << steps << ' ' << laplace << ' ' << noise;
  }
}

TEST(CalibrationTargets, ADeltaOfZeroAsksForAPurePromise) {
  const EventsAt at = [](double scale) -> Events { return {{"x", KNormEvent{1, scale}, Neighbours::replace_one, 3}}; };
  const double scale = smallest_noise(at, 0.5, 0, 0.1, 1e4);
  EXPECT_GE(scale, 6);
  EXPECT_LT(scale, 6 * 1.001);
  const EventsAt gaussian = [](double sigma) -> Events {
    return {{"x", GaussianEvent{1, sigma}, Neighbours::replace_one, 1}};
  };
  EXPECT_ANY_THROW(smallest_noise(gaussian, 0.5, 0, 0.1, 1e4));
}

}  // namespace
}  // namespace dperm::privacy
