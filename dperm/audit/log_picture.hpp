// SPDX-License-Identifier: Apache-2.0
// A drawing with both axes on log scales, as SVG: rates of attacks, errors against epsilon.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace dperm::audit {

struct LogAxis {
  std::string label = {};
  double low = 0, high = 0;  // 0 < low < high; what lies outside is drawn at the edge
};

struct LogLine {
  std::string name;                               // empty: not in the legend
  std::vector<std::pair<double, double>> points;  // finite
  bool dashed = false, dots = false;
};

struct LogPicture {
  std::string title = {};
  LogAxis across = {}, up = {};
  std::vector<LogLine> lines = {};
};

// A whole file. Throws ArgumentError for axes that are none.
std::string svg_of(const LogPicture& picture);

}  // namespace dperm::audit
