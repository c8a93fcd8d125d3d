// SPDX-License-Identifier: Apache-2.0
// Values and slopes against closed forms and differences, for every loss.
#include "dperm/loss/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dperm/core/error.hpp"

namespace dperm::loss {
namespace {

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

double random_target(const Loss& loss, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double y = uniform(random);
  return is_classification(loss.kind) ? (y > 0 ? 1 : -1) : y;
}

bool near_kink(const Loss& loss, double score, double target, double width) {
  const double residual = std::fabs(score - target);
  switch (loss.kind) {
    case LossKind::hinge:
      return std::fabs(1 - score * target) < width;
    case LossKind::absolute:
    case LossKind::pinball:
      return residual < width;
    case LossKind::huber:
      return std::fabs(residual - loss.threshold) < width;
    default:
      return false;
  }
}

TEST(Loss, NamesComeBack) {
  for (const LossInfo& each : all_losses()) EXPECT_EQ(loss_from_name(each.name), each.kind);
}

TEST(Loss, EveryKindIsInTheList) {
  EXPECT_EQ(all_losses().size(), static_cast<std::size_t>(LossKind::zero_one) + 1);
  std::set<LossKind> kinds;
  for (const LossInfo& each : all_losses()) kinds.insert(each.kind);
  EXPECT_EQ(kinds.size(), all_losses().size());
}

TEST(Loss, KindsOfTargetsHaveTheirLosses) {
  EXPECT_EQ(losses_for(schema::TargetKind::binary).front(), LossKind::logistic);
  EXPECT_EQ(losses_for(schema::TargetKind::real).front(), LossKind::squared);
  EXPECT_EQ(losses_for(schema::TargetKind::classes), std::vector{LossKind::softmax});
  EXPECT_TRUE(losses_for(schema::TargetKind::none).empty());
  EXPECT_EQ(loss_names(schema::TargetKind::classes), "softmax");
  EXPECT_TRUE(loss_names(schema::TargetKind::binary).ends_with(" or zero-one"));
  for (const LossKind kind : kAllLosses) {
    EXPECT_EQ(is_classification(kind), info(kind).link != Link::number) << name(kind);
  }
}

TEST(Loss, IsDescribedWithTheParameterThatSaysWhatIsAsked) {
  EXPECT_EQ(describe({.kind = LossKind::pinball, .quantile = 0.9}), "pinball loss of quantile 0.9");
  EXPECT_EQ(describe({.kind = LossKind::smoothed_hinge}), "smoothed-hinge loss");
  EXPECT_EQ(constant_answer({.kind = LossKind::pinball, .quantile = 0.9}), "quantile 0.9");
  EXPECT_EQ(constant_answer({.kind = LossKind::absolute}), "median");
  EXPECT_EQ(constant_answer({.kind = LossKind::huber}), "best constant for the huber loss");
}

TEST(Loss, OfAScoreOfZeroIsTheLargestOverTargets) {
  EXPECT_DOUBLE_EQ(loss_of_zero({.kind = LossKind::logistic}), std::log(2.0));
  EXPECT_DOUBLE_EQ(loss_of_zero({.kind = LossKind::pinball, .quantile = 0.2}), 0.8);
  EXPECT_DOUBLE_EQ(loss_of_zero({.kind = LossKind::softmax}, 3), std::log(3.0));
}

TEST(Loss, AnUnknownNameIsRefusedWithTheKnownOnes) {
  try {
    loss_from_name("logit");
    FAIL() << "accepted";
  } catch (const ArgumentError& error) {
    for (const LossKind kind : kAllLosses) {
      EXPECT_NE(std::string(error.what()).find(std::string(name(kind))), std::string::npos);
    }
  }
}

TEST(Loss, ValuesMatchHandComputedNumbers) {
  EXPECT_DOUBLE_EQ(value({.kind = LossKind::logistic}, 0, 1), std::log(2.0));
  EXPECT_NEAR(value({.kind = LossKind::logistic}, 2, -1), 2.1269280110429727, 1e-15);
  EXPECT_NEAR(slope({.kind = LossKind::logistic}, 2, -1), 0.88079707797788243, 1e-15);
  EXPECT_DOUBLE_EQ(value({.kind = LossKind::hinge}, -0.5, 1), 1.5);
  EXPECT_DOUBLE_EQ(value({.kind = LossKind::hinge}, 1.5, 1), 0);
  EXPECT_NEAR(value({.kind = LossKind::smoothed_hinge, .smoothing = 0.5, .margin = 1}, 1, 1), 0.5 * std::log(2.0),
              1e-16);
  // 0.35 ln(1 + e^(1.5/0.35)) and 1/(1 + e^(-1.5/0.35)): the default margin 0.5 and width 0.35.
  EXPECT_NEAR(value({.kind = LossKind::smoothed_hinge}, -1, 1), 1.5047844741320882, 1e-13);
  EXPECT_NEAR(slope({.kind = LossKind::smoothed_hinge}, 1, -1), 0.9864230830562556, 1e-13);
  EXPECT_DOUBLE_EQ(value({.kind = LossKind::squared}, 0.5, -1), 2.25);
  EXPECT_DOUBLE_EQ(value({.kind = LossKind::absolute}, 0.5, -1), 1.5);
  EXPECT_DOUBLE_EQ(value({.kind = LossKind::pinball, .quantile = 0.9}, 0, 1), 0.9);
  EXPECT_NEAR(value({.kind = LossKind::pinball, .quantile = 0.9}, 1, 0), 0.1, 1e-16);
  EXPECT_DOUBLE_EQ(value({.kind = LossKind::huber, .threshold = 0.5}, 0.25, 0), 0.03125);
  EXPECT_DOUBLE_EQ(value({.kind = LossKind::huber, .threshold = 0.5}, 2, 0), 0.875);
}

TEST(Loss, HugeScoresStayFiniteAndSlopesSaturate) {
  for (const Loss& loss : example_losses()) {
    for (const double score : {-1e9, -1e4, 1e4, 1e9}) {
      for (const double target : {-1.0, 1.0}) {
        EXPECT_TRUE(std::isfinite(value(loss, score, target))) << name(loss.kind);
        EXPECT_GE(value(loss, score, target), 0);
        EXPECT_TRUE(std::isfinite(slope(loss, score, target))) << name(loss.kind);
      }
    }
  }
}

TEST(Loss, SlopesAgreeWithDifferences) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> scores(-4, 4);
  for (const Loss& loss : example_losses()) {
    for (int i = 0; i < 2000; ++i) {
      const double t = scores(random);
      const double y = random_target(loss, random);
      const double h = 1e-5;
      if (near_kink(loss, t, y, 2 * h)) continue;
      const double difference = (value(loss, t + h, y) - value(loss, t - h, y)) / (2 * h);
      ASSERT_NEAR(slope(loss, t, y), difference, 2e-7) << name(loss.kind) << " t=" << t << " y=" << y;
    }
  }
}

TEST(Loss, SlopesAreSubgradientsOfAConvexFunctionAlsoAtKinks) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> scores(-4, 4);
  for (const Loss& loss : example_losses()) {
    for (int i = 0; i < 2000; ++i) {
      const double y = random_target(loss, random);
      const bool at_kink = i % 4 == 0;
      const double t = at_kink ? (is_classification(loss.kind) ? 1 / y : y) : scores(random);
      const double other = scores(random);
      const double tangent = value(loss, t, y) + slope(loss, t, y) * (other - t);
      ASSERT_GE(value(loss, other, y), tangent - 1e-12) << name(loss.kind) << " t=" << t << " y=" << y;
    }
  }
}

TEST(Loss, ParametersOutOfRangeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, 0.0, -1.0, std::numeric_limits<double>::infinity(), 1e-9, 1e9}) {
    EXPECT_THROW(validate({.kind = LossKind::smoothed_hinge, .smoothing = bad}), ArgumentError) << bad;
    EXPECT_THROW(validate({.kind = LossKind::huber, .threshold = bad}), ArgumentError) << bad;
  }
  for (const double bad : {nan, -0.1, 1e9}) {
    EXPECT_THROW(validate({.kind = LossKind::smoothed_hinge, .margin = bad}), ArgumentError) << bad;
  }
  for (const double bad : {nan, 0.0, 1.0, -0.5, 2.0}) {
    EXPECT_THROW(validate({.kind = LossKind::pinball, .quantile = bad}), ArgumentError) << bad;
  }
  EXPECT_THROW(validate({.kind = static_cast<LossKind>(99)}), ArgumentError);
}

TEST(Loss, AParameterOfAnotherLossIsRefused) {
  Loss loss{.kind = LossKind::pinball};
  set_parameter(loss, "quantile", 0.9);
  EXPECT_EQ(loss.quantile, 0.9);
  try {
    set_parameter(loss, "threshold", 0.1);
    FAIL() << "accepted";
  } catch (const ArgumentError& error) {
    EXPECT_EQ(error.field(), "threshold");
    EXPECT_STREQ(error.what(),
                 "`threshold` belongs to `loss = huber`, and the loss here is pinball; add `loss = huber` or leave "
                 "`threshold` out");
  }
  EXPECT_THROW(set_parameter(loss, "tightness", 1), ArgumentError);
}

TEST(Loss, OnlyTheOwnParameterIsRead) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(
      validate({.kind = LossKind::logistic, .smoothing = nan, .margin = nan, .quantile = nan, .threshold = nan}));
  EXPECT_NO_THROW(
      validate({.kind = LossKind::huber, .smoothing = nan, .margin = nan, .quantile = nan, .threshold = 1}));
}

}  // namespace
}  // namespace dperm::loss
