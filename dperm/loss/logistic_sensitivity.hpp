// SPDX-License-Identifier: Apache-2.0
// How far the gradients of the logistic loss at one point can be apart for two records, when every weight vector in
// use has norm at most r and every record norm at most 1. Proof note: logistic_sensitivity.md.
#pragma once

namespace dperm::loss {

// S(r) = max over alpha in [0, pi/2] of 2 sin(alpha) / (1 + exp(-r cos(alpha))); r >= 0 and finite.
double logistic_symmetric_distance(double r);

// True only if branch and bound shows that no two gradients differ by more than `bound`; r >= 0 and finite.
bool certify_logistic_distance(double r, double bound);

// The smaller of 1.002 S(r), where its certificate succeeds, and the Lipschitz bound 2 / (1 + exp(-r)). Public: it
// depends on r alone. r >= 0; infinity gives 2. Throws ArgumentError on a negative r or NaN.
double logistic_gradient_difference(double r);

}  // namespace dperm::loss
