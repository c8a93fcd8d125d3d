// SPDX-License-Identifier: Apache-2.0
// L-BFGS for smooth strongly convex functions whose value and gradient may be known to a lattice's resolution only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dperm/solve/objective.hpp"
#include "dperm/solve/summary.hpp"

namespace dperm::solve {

struct LbfgsOptions {
  double gradient_tolerance = 1e-10;  // stop once the norm of the gradient, as evaluated, is at most this; >= 0
  std::int64_t iteration_limit = 1000;
  std::size_t memory = 50;
  double first_step = 1;        // length of the first step relative to the gradient; 1/smoothness is the best choice
  double value_resolution = 0;  // the value is known to within this (absolute)
};

// Starts at w and leaves there the point with the smallest gradient norm it saw; the summary's value and gradient are
// those evaluated at exactly that point. Always ends: a step that cannot be told from noise is not searched for twice.
// Throws ArgumentError for impossible options or a w of the wrong size.
SolveSummary minimise(const Objective& objective, std::span<double> w, const LbfgsOptions& options);

}  // namespace dperm::solve
