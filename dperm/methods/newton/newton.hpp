// SPDX-License-Identifier: Apache-2.0
// Second-order descent for the logistic loss: a noisy gradient, then the damped Newton step for it with noise of its
// own. Proof note: newton.md.
#pragma once

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/plan.hpp"

namespace dperm::methods {

// How far (H + damping I)^-1 u can move for a unit vector u when one record of n is replaced, H the mean of c x x^T
// with 0 <= c <= 1/4 and ||x|| <= 1.
double newton_sensitivity(std::size_t rows, double damping);

// The error of newton_direction, at most.
double newton_direction_error(std::size_t dimension, double damping);

// (H + damping I)^-1 unit, where H is the quadratic upper bound of the logistic risk at `weights`, with curvatures
// rounded down to integers. Runs inside Sensitive::map.
std::vector<double> newton_direction(const engine::RowSums& sums, std::span<const double> weights, double damping,
                                     std::span<const double> unit, Threads threads);

}  // namespace dperm::methods
