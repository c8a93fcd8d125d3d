// SPDX-License-Identifier: Apache-2.0
// Accelerated projected gradient with restarts, for a smooth strongly convex function on a closed convex set.
#pragma once

#include <cstdint>
#include <span>

#include "dperm/solve/gradient_descent.hpp"
#include "dperm/solve/objective.hpp"
#include "dperm/solve/summary.hpp"

namespace dperm::solve {

struct ProjectedGradientOptions {
  Curvature curvature;
  double gradient_tolerance;  // stop once residual + evaluation_error is at most this; positive
  double evaluation_error = 0;
  double projection_error = 0;
  std::int64_t iteration_limit = 10000;
};

// Starts at the projection of w and leaves there a point of the set whose residual was measured at that very point.
// The objective is also evaluated outside the set.
SolveSummary minimise_projected(const Objective& objective, std::span<double> w, const Projection& project,
                                const ProjectedGradientOptions& options);

}  // namespace dperm::solve
