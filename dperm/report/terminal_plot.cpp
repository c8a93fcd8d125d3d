// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/terminal_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dperm::planner {

namespace {

constexpr int kColumns = 49, kLines = 13;  // of the field; labels take ten columns more
constexpr std::string_view kLetters = "abcdefgh";

double height_of(const CurvePoint& point, Height height) {
  if (!point.predicted) return 0;
  if (height == Height::excess_risk) return point.predicted->excess_risk;
  return 100 * point.predicted->accuracy_lost.value_or(0);
}

struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // 0 ... cells - 1
  int cell(double value, int cells) const {
    const double share = high > low ? std::log(value / low) / std::log(high / low) : 0.5;
    return static_cast<int>(std::lround(share * (cells - 1)));
  }
  double value(int cell, int cells) const { return low * std::pow(high / low, cell / (cells - 1.0)); }
};

std::string number(double value) { return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.2g}", value); }

}  // namespace

std::string terminal_plot(const Curves& curves, Height height, const std::string& title) {
  Axis across, up;
  for (const Curve& curve : curves.methods) {
    for (const CurvePoint& point : curve.points) {
      across.include(point.x);
      if (height_of(point, height) > 0) up.include(height_of(point, height));
    }
  }
  if (up.high <= 0) return title + ": no method's accuracy is predicted for this task\n";
  std::vector<std::string> field(kLines, std::string(kColumns, ' '));
  std::string legend;
  for (std::size_t k = curves.methods.size(); k-- > 0;) {  // the first is drawn last, on top
    const char letter = kLetters[k % kLetters.size()];
    bool drawn = false;
    for (const CurvePoint& point : curves.methods[k].points) {
      const double value = height_of(point, height);
      if (!(value > 0)) continue;
      const auto line = static_cast<std::size_t>(kLines - 1 - up.cell(value, kLines));
      field[line][static_cast<std::size_t>(across.cell(point.x, kColumns))] = letter;
      drawn = true;
    }
    if (drawn) legend.insert(0, fmt::format("          {} {}\n", letter, curves.methods[k].method));
  }
  std::string text = title + "\n";
  for (int line = 0; line < kLines; ++line) {
    const bool labelled = line % 3 == 0;
    text += fmt::format("{:>8} |{}\n", labelled ? number(up.value(kLines - 1 - line, kLines)) : "",
                        field[static_cast<std::size_t>(line)]);
  }
  std::string axis(kColumns, '-');
  axis[static_cast<std::size_t>(across.cell(curves.marked, kColumns))] = '^';
  const std::string low = number(across.low), middle = number(curves.marked), high = number(across.high);
  text += fmt::format("{:>8} +{}\n{:>10}{:<{}}{}{:>{}}\n", "", axis, "", low, (kColumns - middle.size()) / 2, middle,
                      high, (kColumns - middle.size() + 1) / 2);
  return text + legend;
}

}  // namespace dperm::planner
