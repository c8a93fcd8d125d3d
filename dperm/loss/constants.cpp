// SPDX-License-Identifier: Apache-2.0
// The constants of each loss on scores of bounded size. Derivations: loss.md.
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/loss/logistic_sensitivity.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::loss {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An upper bound of 1 / (1 + e^-v), v >= 0.
double sigmoid_up(double v) { return std::fmin(1.0, rounded_up(1 / (1 + std::exp(-v)))); }

// The value of `loss` at distance `size` from its target, for losses of the residual.
double at_distance(const Loss& loss, double size) { return value(loss, size, 0.0); }

// [proof loss_constants.table]
LossConstants logistic_constants(double r) {
  return {.lipschitz = sigmoid_up(r),
          .smoothness = 0.25,
          .range = r,
          .largest_value = r == kInfinity ? kInfinity : rounded_up(value({}, -r, 1.0)),
          .gradient_difference = logistic_gradient_difference(r)};
}

LossConstants hinge_constants(double r) {
  return {.lipschitz = 1,
          .smoothness = kInfinity,
          .range = rounded_up(std::fmin(2 * r, 1 + r)),
          .largest_value = rounded_up(1 + r),
          .gradient_difference = 2};
}

LossConstants smoothed_hinge_constants(const Loss& loss, double r) {
  const double steepest = sigmoid_up(rounded_up((loss.margin + r) / loss.smoothing));
  LossConstants out{.lipschitz = steepest,
                    .smoothness = rounded_up(0.25 / loss.smoothing),
                    .range = kInfinity,
                    .largest_value = kInfinity,
                    .gradient_difference = 2 * steepest};
  if (r < kInfinity) {
    const double largest = rounded_up(value(loss, -r, 1.0));
    out.largest_value = largest;
    // The difference loses digits where r is small; 2 r is the Lipschitz bound.
    out.range = rounded_up(std::fmin(2 * r, largest - rounded_down(value(loss, r, 1.0))));
  }
  return out;
}

LossConstants squared_constants(double r) {
  const double largest = rounded_up((1 + r) * (1 + r));
  const double lipschitz = rounded_up(2 * (1 + r));
  return {.lipschitz = lipschitz,
          .smoothness = 2,
          .range = r < 1 ? rounded_up(4 * r) : largest,
          .largest_value = largest,
          .gradient_difference = 2 * lipschitz};
}

// Absolute (steepest = 1) and pinball (steepest = max(q, 1 - q)).
LossConstants kinked_constants(double steepest, double r) {
  return {.lipschitz = steepest,
          .smoothness = kInfinity,
          .range = rounded_up(steepest * std::fmin(2 * r, 1 + r)),
          .largest_value = rounded_up(steepest * (1 + r)),
          .gradient_difference = 2 * steepest};
}

LossConstants huber_constants(const Loss& loss, double r) {
  const double lipschitz = std::fmin(loss.threshold, rounded_up(1 + r));
  const double largest = rounded_up(at_distance(loss, 1 + r));
  const double smallest = r < 1 ? rounded_down(at_distance(loss, 1 - r)) : 0;
  return {.lipschitz = lipschitz,
          .smoothness = 1,
          .range = rounded_up(std::fmin(2 * r * lipschitz, largest - smallest)),
          .largest_value = largest,
          .gradient_difference = 2 * lipschitz};
}

// r bounds the norm of all weights together, so two scores differ by at most sqrt(2) r.
LossConstants softmax_constants(std::size_t classes, double r) {
  require(classes >= 2, "softmax needs at least two classes");
  const double root = rounded_up(std::sqrt(2.0));
  return {.lipschitz = root,
          .smoothness = 0.5,
          .range = rounded_up(2 * root * r),
          .largest_value = rounded_up(std::log(static_cast<double>(classes)) + root * r),
          .gradient_difference = 2 * root};
}

}  // namespace

LossConstants constants(const Loss& loss, double score_bound, std::size_t classes) {
  validate(loss);
  require(score_bound >= 0, "score_bound must be at least 0 (or infinite)");
  switch (loss.kind) {
    case LossKind::logistic:
      return logistic_constants(score_bound);
    case LossKind::hinge:
      return hinge_constants(score_bound);
    case LossKind::smoothed_hinge:
      return smoothed_hinge_constants(loss, score_bound);
    case LossKind::squared:
      return squared_constants(score_bound);
    case LossKind::absolute:
      return kinked_constants(1, score_bound);
    case LossKind::pinball:
      return kinked_constants(std::fmax(loss.quantile, 1 - loss.quantile), score_bound);
    case LossKind::huber:
      return huber_constants(loss, score_bound);
    case LossKind::softmax:
      return softmax_constants(classes, score_bound);
    case LossKind::zero_one:
      break;
  }
  throw InternalError("a loss without constants");
}
// [/proof]

}  // namespace dperm::loss
