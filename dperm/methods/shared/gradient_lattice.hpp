// SPDX-License-Identifier: Apache-2.0
// The summed gradient as the engine computes it: its sensitivity in lattice units, the factor back to the mean
// gradient, and how far it lies from the true one. Proof note: gradient_lattice.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/task.hpp"

namespace dperm::methods {

struct GradientLattice {
  std::size_t scores;     // of a row: 1, with softmax one per class
  double slope_bound;     // what engine::GradientQuery takes; 1 with softmax
  double l2_sensitivity;  // of the integer sum when one record is replaced, at any feasible weights
  double to_mean;         // integer sum * to_mean = gradient of the mean loss, in encoded units
  double mean_error;      // || computed - true mean gradient || at any feasible weights, at most
  double risk_error;      // what following computed gradients instead of true ones costs in mean risk, at most
};

// `weight_norm` bounds ||w|| (softmax: of all classes' weights together) at every point where a gradient is evaluated:
// positive and finite, ArgumentError otherwise.
GradientLattice gradient_lattice(const loss::Loss& loss, double weight_norm, const PublicFacts& facts,
                                 engine::Resolution resolution);

// The integer sum that `lattice`, made for this loss, resolution and number of rows, tells about. Runs inside
// Sensitive::map.
std::vector<std::int64_t> gradient_on_lattice(const engine::RowSums& sums, const loss::Loss& loss,
                                              const GradientLattice& lattice, std::span<const double> weights,
                                              engine::Resolution resolution, Threads threads);

}  // namespace dperm::methods
