// SPDX-License-Identifier: Apache-2.0
// How far rounding can move a computed score or slope. Derivation: sums.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/rounding_error.hpp"

namespace dperm::engine {

// [proof engine_sums.slope_error]
SlopeError slope_error(const loss::Loss& loss, double slope_bound, double weight_norm, std::size_t columns,
                       Resolution resolution) {
  loss::validate(loss);
  require_positive_finite("slope_bound", slope_bound);
  require_nonnegative_finite("weight_norm", weight_norm);
  require(columns >= 1, "columns", "must be at least 1");
  const double unit = resolution == Resolution::release ? 0x1p-24 : 0x1p-53;
  const double smallest = resolution == Resolution::release ? 0x1p-98 : 0x1p-1000;
  const double m = static_cast<double>(columns);
  SlopeError out{};
  out.score = rounded_up(weight_norm * unit * (1.1 * m + 8) + m * smallest);
  const double slope = loss::slope_rounding(loss, unit, out.score) / slope_bound;
  // Four more roundings of a number that the clamp keeps at most 1: scale, product, pinball's level.
  out.slope = std::fmin(2.0, rounded_up(slope + 4 * unit));
  return out;
}
// [/proof]

}  // namespace dperm::engine
