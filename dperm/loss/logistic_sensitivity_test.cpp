// SPDX-License-Identifier: Apache-2.0
#include "dperm/loss/logistic_sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "dperm/core/error.hpp"

namespace dperm::loss {
namespace {

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

TEST(LogisticSensitivity, SymmetricDistanceMatchesReferenceValues) {
  constexpr std::array<std::pair<double, double>, 6> kReference = {
      {{0.1, 1.00124612}, {1, 1.09909548}, {2, 1.26984109}, {5, 1.61727809}, {10, 1.82084487}, {50, 1.98063876}}};
  for (const auto& [r, expected] : kReference) EXPECT_NEAR(logistic_symmetric_distance(r), expected, 5e-9) << r;
}

TEST(LogisticSensitivity, TheSharpValueIsCertifiedForEveryRadius) {
  for (double r = 0; r < 1000; r = r * 1.05 + 0.001) {
    EXPECT_TRUE(certify_logistic_distance(r, 1.002 * logistic_symmetric_distance(r))) << r;
  }
}

TEST(LogisticSensitivity, AFalseClaimIsNotCertified) {
  for (const double r : {0.1, 1.0, 1.3, 3.0, 10.0, 100.0}) {
    EXPECT_FALSE(certify_logistic_distance(r, 0.9999 * logistic_symmetric_distance(r))) << r;
    EXPECT_FALSE(certify_logistic_distance(r, std::numeric_limits<double>::quiet_NaN())) << r;
  }
}

TEST(LogisticSensitivity, IsNeverMoreThanTheLipschitzBoundAndGrows) {
  double before = 0;
  for (double r = 0; r < 2000; r = r * 1.03 + 0.0005) {
    const double now = logistic_gradient_difference(r);
    EXPECT_LE(now, 2 * sigmoid(r) * (1 + 1e-11)) << r;
    EXPECT_GE(now, before) << r;
    EXPECT_GE(now, logistic_symmetric_distance(r) * (1 - 1e-12)) << r;
    before = now;
  }
  EXPECT_EQ(logistic_gradient_difference(std::numeric_limits<double>::infinity()), 2);
}

// Records shorter than 1 matter: with c < -1.28 the longest gradient in a direction belongs to a shorter record.
TEST(LogisticSensitivity, RecordsOfEveryNormAndAngleStayBelow) {
  constexpr int kSteps = 24;
  for (const double r : {0.2, 1.0, 1.5, 3.0, 8.0, 30.0}) {
    const double bound = logistic_gradient_difference(r);
    double worst = 0;
    const auto gradient = [r](int angle, int norm) {
      const double alpha = 2 * std::numbers::pi * angle / (4 * kSteps);
      const double length = static_cast<double>(norm) / kSteps;
      const double size = length * sigmoid(r * length * std::cos(alpha));
      return std::pair{size * std::cos(alpha), size * std::sin(alpha)};
    };
    for (int a = 0; a < 4 * kSteps; ++a) {
      for (int b = 0; b < 4 * kSteps; ++b) {
        for (int norm = 0; norm <= kSteps; ++norm) {
          for (const int other : {norm, kSteps}) {
            const auto [x, y] = gradient(a, norm);
            const auto [u, v] = gradient(b, other);
            worst = std::max(worst, std::hypot(x - u, y - v));
          }
        }
      }
    }
    EXPECT_LE(worst, bound) << r;
    EXPECT_GE(worst, bound * 0.99) << r;
  }
}

TEST(LogisticSensitivity, RefusesNanAndNegativeRadii) {
  EXPECT_THROW(logistic_gradient_difference(std::numeric_limits<double>::quiet_NaN()), ArgumentError);
  EXPECT_THROW(logistic_gradient_difference(-1), ArgumentError);
  EXPECT_THROW(logistic_symmetric_distance(std::numeric_limits<double>::infinity()), ArgumentError);
}

}  // namespace
}  // namespace dperm::loss
