// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/pictures.hpp"

#include <gtest/gtest.h>

namespace dperm::audit {
namespace {

MethodAudit example(double proved, double shown) {
  MethodAudit audit{.name = "a <case>", .proved = proved};
  audit.game.epsilon = shown;
  audit.game.with = {0.5, 1.0};
  audit.game.without = {-0.5, -1.0};
  return audit;
}

TEST(AuditPictures, ABoundAboveTheProvedOneIsRed) {
  const std::string good = bounds_picture({example(1, 0.8)}), bad = bounds_picture({example(1, 1.2)});
  EXPECT_EQ(good.find("#b3261e"), std::string::npos);
  EXPECT_NE(bad.find("#b3261e"), std::string::npos);
  EXPECT_NE(good.find("a &lt;case&gt;"), std::string::npos);
  EXPECT_NE(good.find("0.80 of 1.00"), std::string::npos);
}

TEST(AuditPictures, LossesOfBothTablesAreDrawn) {
  const std::string svg = loss_picture(example(1, 0.8));
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace dperm::audit
