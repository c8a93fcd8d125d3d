// SPDX-License-Identifier: Apache-2.0
// Minimises with a certificate: the fast solver first, then descent that cannot fail. Proof note: certified.md.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "dperm/solve/gradient_descent.hpp"
#include "dperm/solve/objective.hpp"
#include "dperm/solve/summary.hpp"

namespace dperm::solve {

struct CertifiedOptions {
  Curvature curvature;
  double gradient_tolerance;    // positive; fixed before the data is looked at
  double evaluation_error = 0;  // bound on ||computed gradient - true gradient||
  Projection project = {};      // empty: unconstrained
  double projection_error = 0;
  double value_resolution = 0;               // the value is known to within this (absolute)
  std::int64_t fast_iteration_limit = 1000;  // of the fast solver
  // What the caller knows for all data: bounds on ||w|| and on ||computed gradient|| along any descent that starts in
  // the half of the first one. Infinity: bounded by the start's gradient, which may be much larger.
  double largest_weight = std::numeric_limits<double>::infinity();
  double largest_gradient = std::numeric_limits<double>::infinity();
};

enum class Verdict {
  certified,                         // residual + evaluation error <= gradient_tolerance at the returned point
  tolerance_below_evaluation_error,  // tolerance <= least_tolerance(evaluation error with step rounding): not promised
  constants_violated,                // descent broke its theorem: curvature or evaluation error are understated
  non_finite,                        // the objective gave NaN or infinity
};
std::string to_string(Verdict verdict);

struct CertifiedSummary {
  Verdict verdict = Verdict::non_finite;
  // ||w - w*|| <= certified_residual / strong_convexity; includes the evaluation error. Valid for every verdict but
  // constants_violated and non_finite.
  double certified_residual = 0;
  bool used_fallback = false;
  SolveSummary solve;  // of the solver that ended last
};

// Starts at w and leaves there the point with the smallest residual. With gradient_tolerance above
// least_tolerance(curvature, descent_error(...), ...) the verdict is `certified` for every
// objective of this curvature, after at most gradient_descent_steps(...) steps of the fallback.
CertifiedSummary minimise_certified(const Objective& objective, std::span<double> w, const CertifiedOptions& options);

}  // namespace dperm::solve
