// SPDX-License-Identifier: Apache-2.0
// One suite attacks every constant of every loss: never exceeded on random and extreme points, nearly attained where
// the note says exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::loss {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kScoreBounds = {0.0, 0.01, 0.3, 1.0, 1.3, 2.0, 5.0, 40.0};

std::vector<Loss> example_losses() {
  std::vector<Loss> out;
  for (const LossKind kind : kAllLosses) {
    for (const double parameter : {0.05, 0.3, 0.9}) {
      out.push_back({.kind = kind,
                     .smoothing = parameter,
                     .margin = 1.2 - parameter,
                     .quantile = parameter,
                     .threshold = parameter});
    }
  }
  return out;
}

// What an attacker found: the largest of each quantity over the points tried.
struct Found {
  double slope = 0, second = 0, range = 0, value = 0;
};

std::vector<double> targets(const Loss& loss) {
  if (is_classification(loss.kind)) return {-1, 1};
  std::vector<double> out;
  for (int i = -20; i <= 20; ++i) out.push_back(i / 20.0);
  return out;
}

Found attack_scores(const Loss& loss, double r) {
  Found found;
  constexpr int kPoints = 400;
  for (const double y : targets(loss)) {
    double largest = 0;
    double smallest = kInfinity;
    double previous = 0;
    for (int i = 0; i <= kPoints; ++i) {
      const double t = i == kPoints ? r : -r + 2 * r * i / kPoints;
      const double at = slope(loss, t, y);
      found.slope = std::max(found.slope, std::fabs(at));
      if (i > 0 && r > 0) found.second = std::max(found.second, (at - previous) / (2 * r / kPoints));
      previous = at;
      largest = std::max(largest, value(loss, t, y));
      smallest = std::min(smallest, value(loss, t, y));
    }
    if (std::fabs(y) <= r) smallest = std::min(smallest, value(loss, y, y));
    found.range = std::max(found.range, largest - smallest);
    found.value = std::max(found.value, largest);
  }
  return found;
}

TEST(LossConstants, AreNeverExceededOnAGridOfScoresAndTargets) {
  for (const Loss& loss : example_losses()) {
    for (const double r : kScoreBounds) {
      const LossConstants c = constants(loss, r);
      const Found found = attack_scores(loss, r);
      EXPECT_LE(found.slope, c.lipschitz) << name(loss.kind) << " r=" << r;
      EXPECT_LE(found.second, c.smoothness * (1 + 1e-9)) << name(loss.kind) << " r=" << r;
      EXPECT_LE(found.range, c.range + 1e-15) << name(loss.kind) << " r=" << r;
      EXPECT_LE(found.value, c.largest_value) << name(loss.kind) << " r=" << r;
      EXPECT_LE(c.gradient_difference, 2 * c.lipschitz * (1 + 1e-11)) << name(loss.kind) << " r=" << r;
    }
  }
}

TEST(LossConstants, AreAttainedWhereTheNoteSaysExact) {
  for (const Loss& loss : example_losses()) {
    for (const double r : kScoreBounds) {
      const LossConstants c = constants(loss, r);
      const Found found = attack_scores(loss, r);
      EXPECT_GE(found.range, c.range * (1 - 1e-9) - 1e-15) << name(loss.kind) << " r=" << r;
      EXPECT_GE(found.value, c.largest_value * (1 - 1e-9)) << name(loss.kind) << " r=" << r;
      if (loss.kind == LossKind::hinge && r == 1) continue;
      EXPECT_GE(found.slope, c.lipschitz * (1 - 1e-9)) << name(loss.kind) << " r=" << r;
      if (r >= 1.3 && r < 5 && std::isfinite(c.smoothness)) {
        EXPECT_GE(found.second, c.smoothness * 0.98) << name(loss.kind) << " r=" << r;
      }
    }
  }
}

struct Record {
  double x, y, target;
};

double gradient_distance(const Loss& loss, std::array<double, 2> w, const Record& a, const Record& b) {
  const double slope_a = slope(loss, w[0] * a.x + w[1] * a.y, a.target);
  const double slope_b = slope(loss, w[0] * b.x + w[1] * b.y, b.target);
  return std::hypot(slope_a * a.x - slope_b * b.x, slope_a * a.y - slope_b * b.y);
}

Record at_angle(double angle, double norm, double target) {
  return {norm * std::cos(angle), norm * std::sin(angle), target};
}

// Two gradients and the weights span at most three dimensions, and the largest distance lies in a plane.
double attack_gradients(const Loss& loss, double r, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto target = [&] {
    const double y = 2 * uniform(random) - 1;
    return is_classification(loss.kind) || uniform(random) < 0.5 ? (y > 0 ? 1.0 : -1.0) : y;
  };
  const auto norm = [&] { return uniform(random) < 0.5 ? 1.0 : uniform(random); };
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const double angle = std::numbers::pi * uniform(random);
    const double mirrored = uniform(random) < 0.5 ? -angle : 2 * std::numbers::pi * uniform(random);
    const std::array<double, 2> w = {r * norm(), 0};
    const Record a = at_angle(angle, norm(), target());
    const Record b = at_angle(mirrored, norm(), target());
    worst = std::max(worst, gradient_distance(loss, w, a, b));
  }
  return worst;
}

TEST(LossConstants, NoTwoGradientsAreFurtherApartThanTheDifferenceBound) {
  std::mt19937_64 random(11);
  for (const Loss& loss : example_losses()) {
    for (const double r : kScoreBounds) {
      const double bound = constants(loss, r).gradient_difference;
      const double worst = attack_gradients(loss, r, random);
      EXPECT_LE(worst, bound) << name(loss.kind) << " r=" << r;
      const bool exact = loss.kind == LossKind::logistic || loss.kind == LossKind::hinge ||
                         loss.kind == LossKind::absolute || loss.kind == LossKind::pinball;
      if (exact) {
        EXPECT_GE(worst, bound * 0.995) << name(loss.kind) << " r=" << r;
      }
    }
  }
}

TEST(LossConstants, WithoutAFeasibleSetAreInfiniteExactlyWhereTheLossIs) {
  for (const Loss& loss : example_losses()) {
    const LossConstants c = constants(loss, kInfinity);
    const bool bounded_slope = std::fabs(slope(loss, -1e9, 1)) < 1e6;
    EXPECT_EQ(std::isfinite(c.lipschitz), bounded_slope) << name(loss.kind);
    EXPECT_EQ(std::isfinite(c.gradient_difference), bounded_slope) << name(loss.kind);
    EXPECT_EQ(c.range, kInfinity) << name(loss.kind);
    EXPECT_EQ(c.largest_value, kInfinity) << name(loss.kind);
  }
  EXPECT_EQ(constants({.kind = LossKind::logistic}, kInfinity).lipschitz, 1);
  EXPECT_EQ(constants({.kind = LossKind::logistic}, kInfinity).gradient_difference, 2);
}

TEST(LossConstants, GrowWithTheScoreBound) {
  for (const Loss& loss : example_losses()) {
    LossConstants before = constants(loss, 0);
    for (double r = 0.01; r < 300; r *= 1.07) {
      const LossConstants now = constants(loss, r);
      EXPECT_GE(now.lipschitz, before.lipschitz) << name(loss.kind) << " r=" << r;
      EXPECT_GE(now.range, before.range) << name(loss.kind) << " r=" << r;
      EXPECT_GE(now.largest_value, before.largest_value) << name(loss.kind) << " r=" << r;
      EXPECT_GE(now.gradient_difference, before.gradient_difference) << name(loss.kind) << " r=" << r;
      before = now;
    }
  }
}

TEST(LossConstants, RefuseNanAndNegativeScoreBoundsAndInvalidLosses) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const LossKind kind : kAllLosses) {
    EXPECT_THROW(constants({.kind = kind}, nan), ArgumentError);
    EXPECT_THROW(constants({.kind = kind}, -1), ArgumentError);
  }
  EXPECT_THROW(constants({.kind = LossKind::pinball, .quantile = nan}, 1), ArgumentError);
  EXPECT_THROW(constants({.kind = LossKind::huber, .threshold = nan}, 1), ArgumentError);
}

}  // namespace
}  // namespace dperm::loss
