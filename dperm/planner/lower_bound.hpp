// SPDX-License-Identifier: Apache-2.0
// The floor of the theory: an excess risk that no private method can beat on every dataset. Derivation:
// docs/lower_bound.md.
#pragma once

#include "dperm/methods/task.hpp"

namespace dperm::planner {

// inf over mu-GDP methods of the largest expected excess risk for linear losses of slope G on the ball of radius R:
// (G R sqrt(d) / (n mu)) * max over whole m, d m <= n, of A (1 - sqrt(c_A)), A = m mu.
double gaussian_floor(double rows, double dimension, double lipschitz, double radius, double mu);

// The same for pure epsilon: the larger of the coordinate and the packing argument.
double pure_floor(double rows, double dimension, double lipschitz, double radius, double epsilon);

// For a task: slope and radius as the methods assume them. It bounds what can be promised for all convex losses of
// this slope, not what happens on one dataset. For delta > 0 it compares with methods that are Gaussian-DP. 0, hence no
// floor, for losses without a slope in one score (softmax, zero-one).
double excess_risk_floor(const methods::Task& task);

}  // namespace dperm::planner
