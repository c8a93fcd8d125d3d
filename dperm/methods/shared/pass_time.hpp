// SPDX-License-Identifier: Apache-2.0
// What a pass over the rows costs, for forecasts of time: bench/clipped_pass, one core of a server of 2023 with
// AVX-512. Machines differ by a factor of three or so either way.
#pragma once

#include "dperm/methods/task.hpp"

namespace dperm::methods {

// Nanoseconds of one row in a pass of release resolution: the row, and each of its columns; more with curves.
inline double row_nanoseconds(const PublicFacts& facts) {
  constexpr double kRow = 1, kCell = 0.25, kCurves = 2.2;
  return (kRow + kCell * static_cast<double>(facts.columns)) * (facts.knots ? kCurves : 1);
}

}  // namespace dperm::methods
