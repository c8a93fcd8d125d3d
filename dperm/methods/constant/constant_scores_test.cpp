// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/constant/constant_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace dperm::methods {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const loss::Loss kLogistic{.kind = loss::LossKind::logistic};
const loss::Loss kHinge{.kind = loss::LossKind::hinge};
const loss::Loss kSmoothed{.kind = loss::LossKind::smoothed_hinge};

TEST(ConstantScores, ACountBelowItsNoiseIsNotBelieved) {
  EXPECT_EQ(smallest_count(3, 100, 2), 3);
  EXPECT_EQ(smallest_count(0.01, 100, 2), 0.5);
  EXPECT_EQ(smallest_count(80, 100, 2), 50) << "nothing is known: an even share";
  EXPECT_EQ(smallest_count(80, 100, 4), 25);
  EXPECT_EQ(believed_share(20, 100, 3), 0.2);
  EXPECT_EQ(believed_share(-7, 100, 3), 0.03);
  EXPECT_EQ(believed_share(1000, 100, 3), 0.97);
  EXPECT_EQ(believed_share(0, 1, 0.5), 0.5);
  EXPECT_EQ(believed_shares(std::vector<std::int64_t>{30, -5, 15}, 50, 5), (std::vector{0.6, 0.1, 0.3}));
  EXPECT_EQ(believed_shares(std::vector<std::int64_t>{500, 50}, 50, 5), (std::vector{0.5, 0.5}));
}

// Numbers with a penalty are roots of the slope, found by halving an interval in another program.
TEST(ConstantScores, OneScoreMinimisesTheRiskOfItsShare) {
  EXPECT_NEAR(constant_score(kLogistic, 0.9, 0, kInfinity), std::log(9), 1e-14);
  EXPECT_NEAR(constant_score(kLogistic, 0.3, 0, kInfinity), std::log(3.0 / 7), 1e-14);
  EXPECT_NEAR(constant_score(kLogistic, 1e-9, 0, kInfinity), -20.7232658359464, 1e-6);
  EXPECT_NEAR(constant_score(kLogistic, 0.9, 0.25, kInfinity), 0.8216522135991267, 1e-14);
  EXPECT_NEAR(constant_score(kSmoothed, 0.8, 0, kInfinity), 0.8931243886147895, 1e-14);
  EXPECT_NEAR(constant_score(kSmoothed, 0.2, 0.1, kInfinity), -0.7393809664672637, 1e-14);
  EXPECT_EQ(constant_score(kHinge, 0.51, 0, kInfinity), 1);
  EXPECT_EQ(constant_score(kHinge, 0.49, 0, kInfinity), -1);
  EXPECT_NEAR(constant_score(kHinge, 0.6, 0.5, kInfinity), 0.4, 1e-15) << "slope -0.2 + 0.5 s";
  for (const loss::Loss& loss : {kLogistic, kHinge, kSmoothed}) {
    EXPECT_EQ(constant_score(loss, 0.5, 0, kInfinity), 0);
    EXPECT_EQ(constant_score(loss, 0.9, 0, 0.25), 0.25);
    EXPECT_EQ(constant_score(loss, 0.1, 0, 0.25), -0.25);
    EXPECT_LT(std::abs(constant_score(loss, 0.1, 0x1p500, kInfinity)), 1e-30);
  }
}

void expect_scores(const std::vector<double>& scores, const std::vector<double>& expected) {
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t k = 0; k < scores.size(); ++k) EXPECT_NEAR(scores[k], expected[k], 1e-9) << k;
}

// Numbers from a million steps of projected gradient descent in another program.
TEST(ConstantScores, ClassScoresMinimiseTheRiskOfTheirShares) {
  const std::vector<double> shares{0.7, 0.2, 0.1};
  expect_scores(constant_class_scores(shares, 0, {}), {1.066224372516894, -0.186538595978474, -0.879685776538419});
  expect_scores(constant_class_scores(shares, 0.3, {}), {0.554722647580127, -0.183469106940763, -0.371253540639364});
  expect_scores(constant_class_scores(shares, 0, {loss::SetKind::ball, 0.8}),
                {0.639186570608188, -0.203058329322601, -0.436128241285587});
  expect_scores(constant_class_scores(shares, 0.3, {loss::SetKind::ball, 0.5}),
                {0.402065859866074, -0.139736247742108, -0.262329612123966});
  expect_scores(constant_class_scores(shares, 0, {loss::SetKind::box, 0.6}), {0.6, -0.52301189377859, -0.6});
  expect_scores(constant_class_scores(shares, 0.3, {loss::SetKind::box, 0.4}), {0.4, -0.229446309927424, -0.4});
  for (const auto kind : {loss::SetKind::ball, loss::SetKind::box}) {
    expect_scores(constant_class_scores(shares, 0, {kind, 2}), constant_class_scores(shares, 0, {}));
  }
}

// At the minimum of a convex function over a convex set a projected step along the slope leads nowhere.
TEST(ConstantScores, ClassScoresAreStationaryForAnySharesPenaltyAndSet) {
  for (const std::size_t classes : {2u, 5u, 40u}) {
    std::vector<double> shares;
    for (std::size_t k = 0; k < classes; ++k) shares.push_back(std::exp(-0.5 * static_cast<double>(k)));
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    for (const double penalty : {0.0, 1e-5, 0.01, 1.0, 1e6}) {
      for (const loss::FeasibleSet set : {loss::FeasibleSet{}, {loss::SetKind::ball, 1.5}, {loss::SetKind::box, 0.7}}) {
        const std::vector<double> scores = constant_class_scores(shares, penalty, set);
        double total = 0;
        for (const double score : scores) total += std::exp(score);
        std::vector<double> moved = scores;
        for (std::size_t k = 0; k < classes; ++k) {
          moved[k] -= (std::exp(scores[k]) / total - shares[k] + penalty * scores[k]) / (0.5 + penalty);
        }
        loss::project(set, moved);
        for (std::size_t k = 0; k < classes; ++k) {
          EXPECT_NEAR(moved[k], scores[k], 1e-8) << classes << " classes, penalty " << penalty << ", class " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dperm::methods
