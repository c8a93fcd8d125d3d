// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/gradient_lattice.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/softmax.hpp"

namespace dperm::methods {

namespace {

void require_engine_range(double slope_bound, double largest_sum) {
  require(slope_bound >= 0x1p-60 && slope_bound <= 0x1p60 && largest_sum <= 0x1p58,
          "the feasible set (or, without one, the weights that l2_penalty allows) is too large for the engine's "
          "arithmetic; take a smaller radius or a larger l2_penalty");
}

// [proof methods_gradient_lattice.softmax]
GradientLattice softmax_lattice(double weight_norm, const PublicFacts& facts) {
  const double classes = static_cast<double>(facts.classes);
  require_engine_range(1, weight_norm * std::sqrt(classes * static_cast<double>(facts.dimension)));
  const double steps = engine::steps(engine::Resolution::solver, facts.rows);
  const double root = std::sqrt(static_cast<double>(facts.columns));
  const engine::SoftmaxError error = engine::softmax_error(facts.classes, weight_norm, facts.columns);
  GradientLattice lattice{};
  lattice.scores = facts.classes;
  lattice.slope_bound = 1;
  lattice.l2_sensitivity = rounded_up(2 * std::sqrt(2.0) * steps * root);
  lattice.to_mean = 1 / (steps * root * static_cast<double>(facts.rows));
  const double truncation = engine::kSoftmaxTruncationSteps * std::sqrt(classes) / steps;
  lattice.mean_error = rounded_up(error.slopes + truncation + 0x1p-48);
  lattice.risk_error = rounded_up(2 * weight_norm * lattice.mean_error);
  return lattice;
}
// [/proof]

}  // namespace

// [proof methods_gradient_lattice.sensitivity]
GradientLattice gradient_lattice(const loss::Loss& loss, double weight_norm, const PublicFacts& facts,
                                 engine::Resolution resolution) {
  require_positive_finite("weight_norm", weight_norm);
  if (loss.kind == loss::LossKind::softmax) {
    ensure(resolution == engine::Resolution::solver, "softmax sums exist at solver resolution only");
    return softmax_lattice(weight_norm, facts);
  }
  // ||x|| <= 1, so a score is at most the norm of the weights.
  const loss::LossConstants constants = loss::constants(loss, weight_norm);
  const double slope_bound = constants.lipschitz;
  const double largest_sum = weight_norm * std::sqrt(static_cast<double>(facts.dimension));
  require_engine_range(slope_bound, largest_sum);
  const double steps = engine::steps(resolution, facts.rows);
  const double root = std::sqrt(static_cast<double>(facts.columns));
  const engine::SlopeError error = engine::slope_error(loss, slope_bound, weight_norm, facts.columns, resolution);
  // One coordinate of one row, in steps: the slope's own error, then truncation of the slope and of the product.
  const double coordinate_error = steps * error.slope + engine::kTruncationSteps;
  const double row_error = root * coordinate_error;

  GradientLattice lattice{};
  lattice.scores = 1;
  lattice.slope_bound = slope_bound;
  const double two_rows = 2 * steps * root;
  const double difference = steps * root * (constants.gradient_difference / slope_bound) + 2 * row_error;
  lattice.l2_sensitivity = rounded_up(std::min(two_rows, difference));
  lattice.to_mean = slope_bound / (steps * root * static_cast<double>(facts.rows));
  lattice.mean_error = rounded_up(slope_bound * (coordinate_error / steps + 0x1p-48));
  const double truncation = rounded_up(slope_bound * (engine::kTruncationSteps / steps + 0x1p-48));
  lattice.risk_error = std::isinf(constants.smoothness)
                           ? rounded_up(2 * slope_bound * error.score + 2 * weight_norm * truncation)
                           : rounded_up(2 * weight_norm * lattice.mean_error);
  return lattice;
}
// [/proof]

}  // namespace dperm::methods
