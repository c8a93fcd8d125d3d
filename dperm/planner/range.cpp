// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/range.hpp"

#include <algorithm>
#include <cmath>

namespace dperm::planner {

namespace {

constexpr double kTested = 0.25;  // of the rows
// Two models give different answers to one row in ten, one in twenty each way at random ...
constexpr double kDiffering = 0.1;
// ... and residuals of this variance have a mean square known to its sqrt(2 / rows tested).
constexpr double kResidualSquare = 0.0625;

}  // namespace

double least_told_share(std::size_t rows) { return std::sqrt(kDiffering / (kTested * static_cast<double>(rows))); }

double least_told_move(std::size_t rows) {
  return std::sqrt(kResidualSquare * std::sqrt(2 / (kTested * static_cast<double>(rows))));
}

Range told(Range range, double least) {
  if (range.lower < least) range.lower = 0;
  range.upper = std::max(range.upper, least);
  range.expected = std::clamp(range.expected, range.lower, range.upper);
  return range;
}

}  // namespace dperm::planner
