// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/gradient_lattice.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/rounding_error.hpp"

namespace dperm::methods {

namespace {

void require_engine_range(double slope_bound, double largest_sum) {
  require(slope_bound >= 0x1p-60 && slope_bound <= 0x1p60 && largest_sum <= 0x1p58,
          "the feasible set (or, without one, the weights that l2_penalty allows) is too large for the engine's "
          "arithmetic; take a smaller radius or a larger l2_penalty");
}

// [proof methods_gradient_lattice.softmax]
GradientLattice softmax_lattice(double weight_norm, const PublicFacts& facts, engine::Resolution resolution) {
  const double classes = static_cast<double>(facts.classes);
  require_engine_range(1, weight_norm * std::sqrt(classes * static_cast<double>(facts.dimension)));
  const double steps = engine::steps(resolution, facts.rows);
  const double root = std::sqrt(static_cast<double>(facts.columns));
  const engine::SoftmaxError error = engine::softmax_error(facts.classes, weight_norm, facts.columns);
  GradientLattice lattice{};
  lattice.scores = facts.classes;
  lattice.slope_bound = 1;
  lattice.l2_sensitivity = rounded_up(2 * std::sqrt(2.0) * steps * root);
  lattice.to_mean = 1 / (steps * root * static_cast<double>(facts.rows));
  const double truncated = facts.knots ? engine::kSoftmaxKnotTruncationSteps : engine::kSoftmaxTruncationSteps;
  const double truncation = truncated * std::sqrt(classes) / steps;
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
  if (loss.kind == loss::LossKind::softmax) return softmax_lattice(weight_norm, facts, resolution);
  // ||x|| <= 1, so a score is at most the norm of the weights.
  const loss::LossConstants constants = loss::constants(loss, weight_norm);
  const double slope_bound = constants.lipschitz;
  const double largest_sum = weight_norm * std::sqrt(static_cast<double>(facts.dimension));
  require_engine_range(slope_bound, largest_sum);
  const double steps = engine::steps(resolution, facts.rows), row_steps = engine::row_steps(resolution);
  const double rows = static_cast<double>(facts.rows);
  const double root = std::sqrt(static_cast<double>(facts.columns));
  const engine::SlopeError error = engine::slope_error(loss, slope_bound, weight_norm, facts.columns, resolution);
  // One coordinate of one row, in units of its slope: the slope's own error, then truncation of slope and product.
  const double coordinate_error = error.slope + engine::kTruncationSteps / row_steps;
  const double row_error = steps * root * coordinate_error;
  // Rounding the total down to coarser steps, where there are so many rows; in steps.
  const double total_error = steps < row_steps ? std::sqrt(static_cast<double>(facts.dimension)) : 0;

  GradientLattice lattice{};
  lattice.scores = 1;
  lattice.slope_bound = slope_bound;
  const double two_rows = 2 * steps * root;
  const double difference = steps * root * (constants.gradient_difference / slope_bound) + 2 * row_error;
  lattice.l2_sensitivity = rounded_up(std::min(two_rows, difference) + total_error);
  lattice.to_mean = slope_bound / (steps * root * rows);
  const double total = total_error / (steps * root * rows) + 0x1p-48;
  lattice.mean_error = rounded_up(slope_bound * (coordinate_error + total));
  const double truncation = rounded_up(slope_bound * (engine::kTruncationSteps / row_steps + total));
  lattice.risk_error = std::isinf(constants.smoothness)
                           ? rounded_up(2 * slope_bound * error.score + 2 * weight_norm * truncation)
                           : rounded_up(2 * weight_norm * lattice.mean_error);
  return lattice;
}
// [/proof]

std::vector<std::int64_t> gradient_on_lattice(const engine::RowSums& sums, const loss::Loss& loss,
                                              const GradientLattice& lattice, std::span<const double> weights,
                                              engine::Resolution resolution, Threads threads) {
  if (loss.kind != loss::LossKind::softmax) {
    return sums.gradient({loss, lattice.slope_bound, weights}, resolution, threads);
  }
  return sums.softmax({lattice.scores, 1, weights}, resolution, threads).gradient;
}

}  // namespace dperm::methods
