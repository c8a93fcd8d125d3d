// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/terminal_plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace dperm::planner {
namespace {

Curves two_methods() {
  const auto point = [](double x, double lost) { return CurvePoint{x, 1, Forecast{lost, 0.1, lost, lost}}; };
  return {
      {{"one", {point(10, 0.1), point(100, 0.01), point(1000, 0.001)}}, {"other", {point(10, 0.1), point(1000, 0.01)}}},
      {},
      100};
}

TEST(TerminalPlot, PutsLettersWhereTheCurvesAreAndTheFirstOnTop) {
  const std::string text = terminal_plot(two_methods(), Height::accuracy_lost, "title");
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  EXPECT_EQ(lines[0], "title");
  EXPECT_EQ(lines[1].substr(0, 12), "      10 |a ") << "10 points, at the left; both methods";
  EXPECT_EQ(lines[7][10 + 24], 'a') << "one decade of two down, half across";
  EXPECT_EQ(lines[7][10 + 48], 'b');
  EXPECT_EQ(lines[13].substr(0, 10), "     0.1 |");
  EXPECT_EQ(lines[13].back(), 'a');
  EXPECT_EQ(lines[14][10 + 24], '^') << "the task's own value";
  EXPECT_NE(text.find("a one\n"), std::string::npos);
  EXPECT_NE(text.find("b other\n"), std::string::npos);
  EXPECT_TRUE(std::all_of(lines.begin(), lines.end(), [](const std::string& line) { return line.size() <= 60; }));
}

TEST(TerminalPlot, NamesOnlyWhatIsDrawn) {
  Curves curves = two_methods();
  for (CurvePoint& point : curves.methods[1].points) point.predicted.reset();
  const std::string text = terminal_plot(curves, Height::accuracy_lost, "title");
  EXPECT_NE(text.find("a one\n"), std::string::npos);
  EXPECT_EQ(text.find("other"), std::string::npos);
}

TEST(TerminalPlot, SaysWhenThereIsNothingToDraw) {
  Curves curves = two_methods();
  for (Curve& curve : curves.methods) {
    for (CurvePoint& point : curve.points) point.predicted.reset();
  }
  EXPECT_NE(terminal_plot(curves, Height::excess_risk, "title").find("no method"), std::string::npos);
}

}  // namespace
}  // namespace dperm::planner
