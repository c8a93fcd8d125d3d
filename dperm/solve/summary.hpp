// SPDX-License-Identifier: Apache-2.0
// How a solver ended. Everything here depends on the objective, hence on the data behind it: never show it as it is.
#pragma once

#include <cstdint>

namespace dperm::solve {

enum class Stop {
  converged,        // the tolerance was met at the final point
  iteration_limit,  // the allowed number of iterations was used up
  stalled,          // no further progress: the objective's resolution, or no descent along any tried direction
  non_finite,       // the objective gave NaN or infinity where it must not
};

struct SolveSummary {
  Stop stop = Stop::stalled;
  double value = 0;                // at the final point
  double gradient_norm = 0;        // at the final point, rounded up; infinity after non_finite
  double optimality_residual = 0;  // tau with ||w - w*|| <= (tau + evaluation error) / strong convexity (certified.md)
  std::int64_t iterations = 0;
  std::int64_t evaluations = 0;
};

}  // namespace dperm::solve
