// SPDX-License-Identifier: Apache-2.0
#include "dperm/loss/feasible_set.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "dperm/core/error.hpp"

namespace dperm::loss {
namespace {

long double exact_norm(const std::vector<double>& w) {
  long double sum = 0;
  for (const double x : w) sum += static_cast<long double>(x) * x;
  return std::sqrt(sum);
}

TEST(FeasibleSet, BadRadiiAreRefused) {
  for (const SetKind kind : {SetKind::ball, SetKind::box}) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), 0.0, -1.0, std::numeric_limits<double>::infinity()}) {
      EXPECT_THROW(validate({.kind = kind, .radius = bad}), ArgumentError);
    }
  }
  EXPECT_NO_THROW(validate({.kind = SetKind::unconstrained, .radius = -1}));
  EXPECT_THROW(validate({.kind = static_cast<SetKind>(9), .radius = 1}), ArgumentError);
}

TEST(FeasibleSet, NanWeightsAreRefused) {
  std::vector<double> w = {0.5, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(project({.kind = SetKind::ball, .radius = 1}, w), ArgumentError);
  EXPECT_THROW(project({.kind = SetKind::box, .radius = 1}, w), ArgumentError);
}

TEST(FeasibleSet, ProjectionLandsInsideStaysInsideAndKeepsTheDirection) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> w(1 + static_cast<std::size_t>(i) % 40);
    const double size = std::exp(20 * normal(random));
    for (double& x : w) x = size * normal(random);
    std::vector<double> p = w;
    const FeasibleSet ball{.kind = SetKind::ball, .radius = 0.7};
    project(ball, p);
    ASSERT_LE(exact_norm(p), 0.7L);
    std::vector<double> again = p;
    project(ball, again);
    ASSERT_EQ(again, p);
    if (exact_norm(w) > 0.7L) {
      ASSERT_GE(exact_norm(p), 0.7L * (1 - 1e-11L));
      for (std::size_t j = 0; j < w.size(); ++j) {
        ASSERT_NEAR(p[j], static_cast<double>(w[j] / exact_norm(w) * 0.7L), 1e-11);
      }
    }
  }
}

TEST(FeasibleSet, AComputedProjectionIsWithinItsErrorOfTheTrueOne) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (const std::size_t dimension : {1u, 3u, 100u, 10000u}) {
    const FeasibleSet ball{.kind = SetKind::ball, .radius = 5};
    const auto allowed = static_cast<long double>(projection_error(ball, dimension));
    EXPECT_LE(allowed, 5e-13L);
    for (int i = 0; i < 100; ++i) {
      // Norms next to the radius on both sides, where the margins decide, and far outside.
      const double size = i % 4 == 3 ? 50 : 5 * (1 + (i % 16 - 8) * 0x1p-51);
      std::vector<double> w(dimension);
      for (double& x : w) x = normal(random);
      const long double norm = exact_norm(w);
      for (double& x : w) x = static_cast<double>(x / norm * size);
      const long double scale = std::fmin(1.0L, 5 / exact_norm(w));
      std::vector<double> p = w;
      project(ball, p);
      long double square = 0;
      for (std::size_t j = 0; j < p.size(); ++j) square += (p[j] - scale * w[j]) * (p[j] - scale * w[j]);
      ASSERT_LE(std::sqrt(square), allowed) << dimension << " weights";
      ASSERT_LE(exact_norm(p), 5.0L);
      std::vector<double> again = p;
      project(ball, again);
      ASSERT_EQ(again, p);
    }
  }
  EXPECT_EQ(projection_error({.kind = SetKind::box, .radius = 5}, 10), 0);
  EXPECT_EQ(projection_error({}, 10), 0);
}

TEST(FeasibleSet, PointsInsideDoNotMove) {
  std::vector<double> w = {0.3, -0.4};
  project({.kind = SetKind::ball, .radius = 0.51}, w);
  EXPECT_EQ(w, (std::vector<double>{0.3, -0.4}));
  project({.kind = SetKind::box, .radius = 0.4}, w);
  EXPECT_EQ(w, (std::vector<double>{0.3, -0.4}));
  project({.kind = SetKind::box, .radius = 0.35}, w);
  EXPECT_EQ(w, (std::vector<double>{0.3, -0.35}));
  project({}, w);
  EXPECT_EQ(w, (std::vector<double>{0.3, -0.35}));
}

TEST(FeasibleSet, NormBoundsHoldAtTheCorners) {
  EXPECT_EQ(norm_bound({}, 3), std::numeric_limits<double>::infinity());
  EXPECT_EQ(norm_bound({.kind = SetKind::ball, .radius = 2}, 100), 2);
  for (const std::size_t d : {1u, 2u, 3u, 10u, 101u}) {
    const double bound = norm_bound({.kind = SetKind::box, .radius = 0.3}, d);
    EXPECT_GE(bound, exact_norm(std::vector<double>(d, 0.3)));
    EXPECT_LE(bound, exact_norm(std::vector<double>(d, 0.3)) * (1 + 1e-11L));
  }
}

TEST(FeasibleSet, DescriptionsNameTheSet) {
  EXPECT_EQ(describe({}), "unconstrained");
  EXPECT_EQ(describe({.kind = SetKind::ball, .radius = 1.5}), "ball of radius 1.5");
  EXPECT_EQ(describe({.kind = SetKind::box, .radius = 2}), "box [-2, 2] in each weight");
}

}  // namespace
}  // namespace dperm::loss
