// SPDX-License-Identifier: Apache-2.0
// The mass of an interval under the standard normal distribution to small relative error. Internal to this room. Note:
// loss_distribution.md.
#pragma once

namespace dperm::privacy {

// P(a < Z <= b) to a relative error of 2^-40 where it is a normal number and |a|, |b| <= 37; ends may be infinite.
double normal_mass(double a, double b);

// Some x with P(Z > x) <= tail, at most 0.1 above the smallest; tail in (0, 1).
double normal_reach(double tail);

// ln E[e^(slope (Z - from)); Z > from] for a standard normal Z, rounded up.
double log_exponential_tail(double slope, double from);

}  // namespace dperm::privacy
