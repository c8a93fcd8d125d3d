// SPDX-License-Identifier: Apache-2.0
// Plain gradient descent with step 1 / smoothness, in a set projected with step 2 / (smoothness + strong convexity):
// slow, but the number of steps to any tolerance is bounded by a formula of public constants, whatever the data. Note:
// certified.md.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "dperm/solve/objective.hpp"
#include "dperm/solve/summary.hpp"

namespace dperm::solve {

// Replaces its argument by the nearest point of a closed convex set.
using Projection = std::function<void(std::span<double>)>;

// What is known of an objective for all data: strong_convexity |v|^2 <= v' Hessian v <= smoothness |v|^2.
struct Curvature {
  double strong_convexity;  // positive
  double smoothness;        // at least strong_convexity; a regulariser's part included
};
void validate(const Curvature& curvature);  // throws ArgumentError

struct GradientDescentOptions {
  Curvature curvature;
  double gradient_tolerance;    // stop once residual + evaluation_error is at most this; positive
  double evaluation_error = 0;  // bound on ||computed gradient - true gradient||
  Projection project = {};      // empty: unconstrained
  double projection_error = 0;  // bound on the distance of a computed projection from the true one
  std::int64_t iteration_limit = std::numeric_limits<std::int64_t>::max();
};

// Starts at (the projection of) w and stops at the first point that meets the tolerance.
SolveSummary minimise_by_gradient_descent(const Objective& objective, std::span<double> w,
                                          const GradientDescentOptions& options);

// Steps after which descent from a point of gradient norm at most `initial_gradient_norm` meets `gradient_tolerance`,
// for every objective of this curvature evaluated to within `evaluation_error` (step_rounding_error included). Throws
// ArgumentError when the tolerance is not above least_tolerance().
std::int64_t gradient_descent_steps(const Curvature& curvature, double initial_gradient_norm, double gradient_tolerance,
                                    double evaluation_error, bool constrained);

// Below this, descent need not reach a tolerance: 4 evaluation_error, in a set (condition number + 2) evaluation_error.
double least_tolerance(const Curvature& curvature, double evaluation_error, bool constrained);

// What rounding one step in double adds to the evaluation error while ||w|| and ||gradient|| stay below these bounds.
double step_rounding_error(const Curvature& curvature, double weight_norm, double gradient_norm);

// All that an evaluated gradient, the rounding of a step and the error of a projection add up to, while the norms stay
// below these bounds: what gradient_descent_steps() and least_tolerance() are to be given.
double descent_error(const Curvature& curvature, double evaluation_error, double projection_error, double weight_norm,
                     double gradient_norm);

// An upper bound of the smallest ||gradient + s (v - w)|| over s >= 0, where w is the computed projection of v: how far
// the negative gradient at w is from the cone of normals there. With v = w (unconstrained) the gradient's norm.
double optimality_residual(const Curvature& curvature, std::span<const double> gradient, std::span<const double> v,
                           std::span<const double> w, double projection_error);

}  // namespace dperm::solve
