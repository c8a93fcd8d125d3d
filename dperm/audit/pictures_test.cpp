// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/pictures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

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
  // Twelve characters of about seven dots each fit beside the longest bar: 760 - 250 - 100 = 410 wide.
  EXPECT_NE(good.find("<text x=\"666.0\" y=\"60.0\" text-anchor=\"start\">0.80 of 1.00"), std::string::npos) << good;
}

// How many bars of this colour stand to the right of `x`, and have a height.
int bars(const std::string& svg, const std::string& colour, double x) {
  const std::regex bar("<rect x=\"([0-9.]+)\" y=\"[0-9.]+\" width=\"[0-9.]+\" height=\"([0-9.]+)\" fill=\"" + colour +
                       "\"/>");
  int count = 0;
  for (std::sregex_iterator each(svg.begin(), svg.end(), bar), end; each != end; ++each) {
    count += std::stod((*each)[1]) > x && std::stod((*each)[2]) > 0;
  }
  return count;
}

// Two runs with the record, of losses 0.5 and 1, and two without it, of -0.5 and -1: left of the middle of 760.
TEST(AuditPictures, LossesOfBothTablesAreDrawn) {
  const std::string svg = loss_picture(example(1, 0.8));
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(bars(svg, "#1f5a96", 0), 2);
  EXPECT_EQ(bars(svg, "#1f5a96", 380), 2);
  EXPECT_EQ(bars(svg, "#d98324", 0), 2);
  EXPECT_EQ(bars(svg, "#d98324", 380), 0);
}

// Scores 0.5 1 against -0.5 -1: rates (0, 1/2), (0, 1), (1/2, 1), (1, 1). On axes from 1e-4 to 1, 460 wide from 80 and
// 360 high from 46, (1/2, 1) is at 80 + 460 (4 - 0.30103) / 4 = 505.4, 46. The limit begins at e^ln 10 * 1e-4 = 1e-3:
// 316.
TEST(AuditPictures, RatesAreDrawnBelowWhatIsProved) {
  const std::string svg = roc_picture(example(std::log(10.0), 0.8));
  EXPECT_NE(svg.find("points=\"505.4,46.0 540.0,46.0 \""), std::string::npos) << svg;
  EXPECT_NE(svg.find("points=\"80.0,316.0 "), std::string::npos) << svg;
}

}  // namespace
}  // namespace dperm::audit
