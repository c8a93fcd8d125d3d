// SPDX-License-Identifier: Apache-2.0
// How far rounding can move a computed score or slope. Derivation: sums.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/rounding_error.hpp"

namespace dperm::engine {
namespace {

// [proof engine_sums.slope_error]
// Relative error of the vector exp2, in units of the rounding unit: approximation, Horner steps and final sum.
constexpr double kExpErrors = 6;

double slope_bound_before_clamp(const loss::Loss& loss, double unit, double score_error) {
  // Sigmoids: 3 roundings of the argument v, where |v| s(v) s(-v) < 1/4; exp2 errors weighted by s(v) s(-v) <= 1/4; the
  // sum 1 + e, the division and the scale.
  const double sigmoid_errors = (0.75 + kExpErrors / 4 + 3) * unit;
  switch (loss.kind) {
    case loss::LossKind::logistic:
      return score_error / 4 + sigmoid_errors;
    case loss::LossKind::smoothed_hinge:
      return (score_error + unit * loss.margin) / (4 * loss.smoothing) + sigmoid_errors;
    case loss::LossKind::squared:
      return 2 * (score_error + unit);
    case loss::LossKind::huber:
      return score_error + unit * (1 + loss.threshold);
    case loss::LossKind::hinge:
    case loss::LossKind::pinball:
      return 1 + 2 * unit;
    case loss::LossKind::absolute:
      return 2;
    case loss::LossKind::softmax:
    case loss::LossKind::zero_one:
      break;
  }
  throw InternalError("not a loss of one score");
}

}  // namespace

SlopeError slope_error(const loss::Loss& loss, double slope_bound, double weight_norm, std::size_t columns,
                       Resolution resolution) {
  loss::validate(loss);
  require_positive_finite("slope_bound", slope_bound);
  require_nonnegative_finite("weight_norm", weight_norm);
  require(columns >= 1, "columns must be at least 1");
  const double unit = resolution == Resolution::release ? 0x1p-24 : 0x1p-53;
  const double smallest = resolution == Resolution::release ? 0x1p-98 : 0x1p-1000;
  const double m = static_cast<double>(columns);
  SlopeError out{};
  out.score = rounded_up(weight_norm * unit * (1.1 * m + 8) + m * smallest);
  const double slope = slope_bound_before_clamp(loss, unit, out.score) / slope_bound;
  // Four more roundings of a number that the clamp keeps at most 1: scale, product, pinball's level.
  out.slope = std::fmin(2.0, rounded_up(slope + 4 * unit));
  return out;
}
// [/proof]

}  // namespace dperm::engine
