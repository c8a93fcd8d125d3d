// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/sum_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/random/noise/gaussian.hpp"
#include "dperm/random/noise/laplace.hpp"

namespace dperm::methods {
namespace {

TEST(SumNoise, TheSmallerOneIsTaken) {
  // For a count the scale is 1 / epsilon; Gaussian noise is smaller where a large delta is allowed, or where many
  // coordinates move a little each.
  const SumNoise laplace = sum_noise({1, 1}, {0.5, 1e-6}, {}, "noise");
  EXPECT_EQ(std::get<privacy::DiscreteLaplaceEvent>(laplace.mechanism), (privacy::DiscreteLaplaceEvent{1, 2, 1}));
  EXPECT_EQ(laplace.square, 8);
  const SumNoise loose = sum_noise({1, 1}, {0.1, 0.1}, {}, "noise");
  const double sigma = privacy::sigma_for(1, 0.1, 0.1);
  EXPECT_EQ(std::get<privacy::GaussianEvent>(loose.mechanism), (privacy::GaussianEvent{1, sigma}));
  EXPECT_LT(loose.square, 2 / (0.1 * 0.1));
  const SumNoise many = sum_noise({100, 10}, {0.5, 1e-6}, {}, "noise");
  EXPECT_TRUE(std::holds_alternative<privacy::GaussianEvent>(many.mechanism));
  const SumNoise asked = sum_noise({100, 10}, {0.5, 1e-6}, MeanNoise::laplace, "noise");
  EXPECT_TRUE(std::holds_alternative<privacy::DiscreteLaplaceEvent>(asked.mechanism));
}

TEST(SumNoise, GaussianNoiseNeedsADelta) {
  EXPECT_THROW(sum_noise({1, 1}, {1, 0}, MeanNoise::gaussian, "noise"), ArgumentError);
  EXPECT_TRUE(std::holds_alternative<privacy::GaussianEvent>(
      sum_noise({1, 1}, {1, 1e-6}, MeanNoise::gaussian, "noise").mechanism));
}

TEST(SumNoise, ALittleGaussianNoiseIsRaisedToWhatTheSamplerMakes) {
  ASSERT_LT(privacy::sigma_for(1, 100, 1e-6), random::kMinimumSigma);
  const SumNoise noise = sum_noise({1, 1}, {100, 1e-6}, MeanNoise::gaussian, "noise");
  EXPECT_EQ(std::get<privacy::GaussianEvent>(noise.mechanism).sigma, random::kMinimumSigma);
  const std::vector<privacy::PrivacyEvent> events{{"", noise.mechanism}};
  EXPECT_LE(privacy::account(events, 1e-6).epsilon, 100);
}

// The measured mean square is below the one promised by no more than rounding to integers explains. Its own standard
// deviation is at most 1.2% of it (a Laplace variable's square has 2.3 times its mean), so 8% has a chance below 1e-9.
TEST(SumNoise, TheMeanSquareIsThatOfTheNoise) {
  constexpr int kDraws = 40'000;
  random::SeededBits bits(5);
  for (const double epsilon : {0.2, 1.0}) {
    const SumNoise laplace = sum_noise({1, 1}, {epsilon, 0}, {}, "noise");
    const auto& event = std::get<privacy::DiscreteLaplaceEvent>(laplace.mechanism);
    double square = 0;
    for (int i = 0; i < kDraws; ++i) {
      const auto z =
          static_cast<double>(random::discrete_laplace(bits, event.scale_numerator, event.scale_denominator));
      square += z * z / kDraws;
    }
    EXPECT_NEAR(square, 1 / (2 * std::pow(std::sinh(epsilon / 2), 2)), 0.08 * laplace.square);
    EXPECT_LE(square, 1.08 * laplace.square);
    const SumNoise gaussian = sum_noise({1, 1}, {epsilon, 1e-6}, MeanNoise::gaussian, "noise");
    std::vector<std::int64_t> draws(kDraws);
    random::rounded_gaussians(bits, std::get<privacy::GaussianEvent>(gaussian.mechanism).sigma, draws);
    square = 0;
    for (const std::int64_t z : draws) square += static_cast<double>(z) * static_cast<double>(z) / kDraws;
    EXPECT_LE(square, 1.08 * gaussian.square);
    EXPECT_GE(square, 0.85 * gaussian.square);
  }
}

}  // namespace
}  // namespace dperm::methods
