// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/log_picture.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dperm/core/error.hpp"

namespace dperm::audit {
namespace {

LogPicture square(double low) {
  LogPicture picture;
  picture.across = {"x", 0.01, 1};
  picture.up = {"y", low, 1};
  return picture;
}

TEST(LogPicture, PutsPointsWhereTheirLogarithmsAre) {
  LogPicture picture = square(0.0001);
  picture.lines.push_back({"a<b", {{0.01, 0.0001}, {0.1, 0.01}, {1, 1}}});
  const std::string text = svg_of(picture);
  // 460 wide from 80, 360 high from 46: the middle is at 310 and 226.
  EXPECT_NE(text.find("points=\"80.0,406.0 310.0,226.0 540.0,46.0 \""), std::string::npos) << text;
  EXPECT_NE(text.find("a&lt;b"), std::string::npos);
  EXPECT_EQ(text.find("a<b"), std::string::npos);
}

TEST(LogPicture, WhatLiesOutsideIsDrawnAtTheEdge) {
  LogPicture picture = square(0.01);
  picture.lines.push_back({"a", {{0, 0}, {1e9, 1e9}}});
  EXPECT_NE(svg_of(picture).find("points=\"80.0,406.0 540.0,46.0 \""), std::string::npos);
}

TEST(LogPicture, AnAxisBeginsAboveZero) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(svg_of(square(0.1)));
  for (const double low : {0.0, 1.0, 2.0, -1.0, kNan}) EXPECT_THROW(svg_of(square(low)), ArgumentError) << low;
  LogPicture endless = square(0.1);
  endless.across.high = std::numeric_limits<double>::infinity();
  EXPECT_THROW(svg_of(endless), ArgumentError);
}

}  // namespace
}  // namespace dperm::audit
