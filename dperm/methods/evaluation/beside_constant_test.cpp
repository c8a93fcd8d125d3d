// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/beside_constant.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace dperm::methods {
namespace {

Measures binary(double accuracy, double radius, double share, double auc) {
  return {
      .rows = 1000,
      .values = {
          {"accuracy", accuracy, radius, 2 * radius}, {"positive_share", share, 0.01, 0.02}, {"auc", auc, 0.02, 0.04}}};
}

TEST(BesideConstant, OfABinaryTargetIsTheMoreFrequentAnswer) {
  const auto worse = beside_constant(binary(0.69, 0.01, 0.7, 0.52));
  ASSERT_TRUE(worse);
  EXPECT_TRUE(worse->no_better());
  EXPECT_FALSE(worse->ranks);
  EXPECT_DOUBLE_EQ(worse->constant, 0.7);
  EXPECT_DOUBLE_EQ(beside_constant(binary(0.69, 0.01, 0.2, 0.52))->constant, 0.8);
  const auto close = beside_constant(binary(0.705, 0.01, 0.7, 0.6));
  EXPECT_FALSE(close->no_better());
  EXPECT_TRUE(close->not_clearly_better());
  EXPECT_TRUE(close->ranks);
  EXPECT_FALSE(beside_constant(binary(0.75, 0.01, 0.7, 0.6))->not_clearly_better());
}

TEST(BesideConstant, OfClassesIsTheLargestRowOfTheMatrix) {
  Measures measures{.rows = 100, .values = {{"accuracy", 0.5, 0.01, 0.1}}};
  EXPECT_FALSE(beside_constant(measures)) << "shares of the classes are not known";
  measures.confusion = {{"a", "b"}, {10, 50, 0, 40}, 1};
  EXPECT_DOUBLE_EQ(beside_constant(measures)->constant, 0.6);
}

TEST(BesideConstant, OfARealTargetHasR2Zero) {
  EXPECT_TRUE(beside_constant({.values = {{"r2", -0.1, 0.02, 0.05}}})->no_better());
  EXPECT_TRUE(beside_constant({.values = {{"r2", 0.04, 0.02, 0.05}}})->not_clearly_better());
  EXPECT_FALSE(beside_constant({.values = {{"r2", 0.1, 0.02, 0.05}}})->not_clearly_better());
  EXPECT_FALSE(beside_constant({.values = {{"r2", std::numeric_limits<double>::quiet_NaN(), 0, 0}}}));
}

}  // namespace
}  // namespace dperm::methods
