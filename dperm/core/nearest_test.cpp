// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/nearest.hpp"

#include <gtest/gtest.h>

namespace dperm {
namespace {

TEST(Nearest, IsTheOneWithFewestChanges) {
  EXPECT_EQ(nearest("hing", {"logistic", "hinge", "huber"}), "hinge");
  EXPECT_EQ(nearest("Logistc", {"hinge", "logistic"}), "logistic");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(LikelyMeant, NeedsToBeNear) {
  EXPECT_EQ(likely_meant("--eps", {"--delta", "--epsilon", "--schema"}), "--epsilon");
  EXPECT_EQ(likely_meant("--espilon", {"--delta", "--epsilon"}), "--epsilon");
  EXPECT_EQ(likely_meant("Age", {"age", "wage"}), "age");
  EXPECT_EQ(likely_meant("weather", {"age", "income"}), "");
  EXPECT_EQ(likely_meant(std::string(100000, 'a'), {"age"}), "");
}

TEST(DidYouMean, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("incme", {"age", "income"}), "; did you mean 'income'?");
  EXPECT_EQ(did_you_mean("qqq", {"age", "income"}), "");
}

}  // namespace
}  // namespace dperm
