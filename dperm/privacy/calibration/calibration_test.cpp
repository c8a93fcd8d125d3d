// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/calibration/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm::privacy {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

double accounted(const Mechanism& mechanism, std::int64_t repetitions, double delta) {
  const PrivacyEvent event{.what = "x", .mechanism = mechanism, .repetitions = repetitions};
  return account({&event, 1}, delta).epsilon;
}

// Parameters spread evenly in the logarithm; a plain generator, since nothing here is private.
struct Draw {
  std::mt19937_64 engine{7};
  double operator()(double lower, double upper) {
    return std::exp(std::uniform_real_distribution<double>(std::log(lower), std::log(upper))(engine));
  }
};

TEST(Calibration, SigmaMatchesReferenceValues) {
  EXPECT_NEAR(sigma_for(1, 0.1, 1e-5), 30.749566132, 1e-8);
  EXPECT_NEAR(sigma_for(1, 1, 1e-5), 3.73063163482, 1e-10);
  EXPECT_NEAR(sigma_for(1, 1, 1e-6), 4.22467888933, 1e-10);
  EXPECT_NEAR(sigma_for(3, 1, 1e-6, 25), 15 * 4.22467888933, 1e-9);
}

TEST(Calibration, TheAccountantNeverExceedsTheEpsilonAskedFor) {
  Draw draw;
  for (int i = 0; i < 500; ++i) {
    const double epsilon = draw(1e-3, 100), delta = draw(1e-12, 0.1), sensitivity = draw(1e-2, 1e9);
    const auto repetitions = static_cast<std::int64_t>(draw(1, 1e6));
    const double sigma = sigma_for(sensitivity, epsilon, delta, repetitions);
    const double got = accounted(GaussianEvent{sensitivity, sigma}, repetitions, delta);
    EXPECT_LE(got, epsilon) << epsilon << ' ' << delta;
    EXPECT_GT(got, epsilon * (1 - 1e-9)) << epsilon << ' ' << delta;
  }
}

TEST(Calibration, LaplaceAndKNormScalesKeepTheirPromiseToTheLastBit) {
  Draw draw;
  for (int i = 0; i < 20000; ++i) {
    const double epsilon = draw(1e-3, 1000);
    const auto sensitivity = static_cast<std::uint64_t>(draw(1, 1e6));
    const auto repetitions = static_cast<std::int64_t>(draw(1, 1e4));
    const LaplaceScale scale = laplace_scale_for(sensitivity, epsilon, repetitions);
    ASSERT_LT(scale.numerator, std::uint64_t{1} << 62);
    ASSERT_LT(scale.denominator, std::uint64_t{1} << 62);
    const double laplace =
        accounted(DiscreteLaplaceEvent{sensitivity, scale.numerator, scale.denominator}, repetitions, 0);
    ASSERT_LE(laplace, epsilon);
    ASSERT_GE(laplace, epsilon * (1 - 0x1p-49));
    const double real_sensitivity = draw(1e-3, 1e9);
    const double k_norm_scale = k_norm_scale_for(real_sensitivity, epsilon, repetitions);
    const double k_norm = accounted(KNormEvent{real_sensitivity, k_norm_scale}, repetitions, 0);
    ASSERT_LE(k_norm, epsilon);
    ASSERT_GE(k_norm, epsilon * (1 - 0x1p-51));
  }
}

TEST(Calibration, SimpleLaplaceScalesAreSimpleFractions) {
  const auto scale = [](std::uint64_t sensitivity, double epsilon, std::int64_t repetitions) {
    const LaplaceScale s = laplace_scale_for(sensitivity, epsilon, repetitions);
    return std::to_string(s.numerator) + "/" + std::to_string(s.denominator);
  };
  EXPECT_EQ(scale(1, 1, 1), "1/1");
  EXPECT_EQ(scale(1, 0.5, 1), "2/1");
  EXPECT_EQ(scale(3, 2, 1), "3/2");
  EXPECT_EQ(scale(3, 2, 4), "6/1");
  EXPECT_EQ(scale(1, 0x1p-50, 1), "1125899906842624/1");
  EXPECT_THROW(laplace_scale_for(1, 0x1p-51, 1), ArgumentError);
  EXPECT_THROW(laplace_scale_for(~std::uint64_t{0}, 1, std::numeric_limits<std::int64_t>::max()), ArgumentError);
}

TEST(Calibration, TheTextbookFormulaIsRefusedWhereItIsNotProved) {
  EXPECT_NEAR(textbook_sigma(1, 0.1, 1e-5) / sigma_for(1, 0.1, 1e-5), 1.5756, 5e-5);
  EXPECT_NO_THROW(textbook_sigma(1, 0.999, 1e-5));
  for (const double epsilon : {1.0, 2.0, 10.0}) {
    try {
      textbook_sigma(1, epsilon, 1e-5);
      FAIL() << epsilon;
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find("tight"), std::string::npos);
    }
  }
}

TEST(Calibration, AnEpsilonWithoutPrivacyIsRefusedByName) {
  try {
    sigma_for(1, 1e9, 1e-6);
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("no privacy"), std::string::npos);
  }
  EXPECT_THROW(laplace_scale_for(1, 1001), ArgumentError);
  EXPECT_THROW(k_norm_scale_for(1, 1001), ArgumentError);
  EXPECT_NO_THROW(k_norm_scale_for(1, 1000));
}

TEST(Calibration, ImpossibleArgumentsAreRefused) {
  for (const double bad : {kNan, 0.0, -1.0, kInf}) {
    EXPECT_THROW(sigma_for(bad, 1, 1e-6), ArgumentError);
    EXPECT_THROW(sigma_for(1, bad, 1e-6), ArgumentError);
    EXPECT_THROW(textbook_sigma(bad, 0.5, 1e-6), ArgumentError);
    EXPECT_THROW(textbook_sigma(1, bad, 1e-6), ArgumentError);
    EXPECT_THROW(laplace_scale_for(1, bad), ArgumentError);
    EXPECT_THROW(k_norm_scale_for(1, bad), ArgumentError);
    EXPECT_THROW(k_norm_scale_for(bad, 1), ArgumentError);
  }
  for (const double bad : {kNan, 0.0, -1e-6, 1.0, 3.0}) {
    EXPECT_THROW(sigma_for(1, 1, bad), ArgumentError);
    EXPECT_THROW(textbook_sigma(1, 0.5, bad), ArgumentError);
  }
  EXPECT_THROW(sigma_for(1, 1, 1e-6, 0), ArgumentError);
  EXPECT_THROW(laplace_scale_for(0, 1), ArgumentError);
  EXPECT_THROW(laplace_scale_for(1, 1, -1), ArgumentError);
  EXPECT_THROW(k_norm_scale_for(1e308, 1e-3), ArgumentError);
}

}  // namespace
}  // namespace dperm::privacy
