// SPDX-License-Identifier: Apache-2.0
// The few vector operations that solvers need. Internal to this room.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "dperm/core/rounding.hpp"

namespace dperm::solve::detail {

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// An upper bound of the Euclidean norm; NaN or infinity in, infinity out. Extended precision keeps squares in range and
// the relative error below core's margin for up to 2^22 coordinates.
inline double norm_above(std::span<const double> a) {
  long double sum = 0;
  for (const double x : a) sum += static_cast<long double>(x) * x;
  const double norm = static_cast<double>(std::sqrt(sum));
  return std::isfinite(norm) ? rounded_up(norm) : std::numeric_limits<double>::infinity();
}

inline bool all_finite(double value, std::span<const double> gradient) {
  return std::isfinite(value) &&
         std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); });
}

}  // namespace dperm::solve::detail
