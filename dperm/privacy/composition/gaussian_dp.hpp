// SPDX-License-Identifier: Apache-2.0
// Gaussian differential privacy: the exact trade between epsilon and delta of a Gaussian release whose sensitivity is
// mu standard deviations. Every answer is a bound on the safe side, proved for the bits returned. Note: gaussian_dp.md.
#pragma once

namespace dperm::privacy {

// An upper bound of delta(epsilon; mu) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), at most one part
// in 2^52 above it where the result is a normal number. epsilon >= 0, mu >= 0, both finite; mu = 0 gives 0.
double delta_gaussian(double epsilon, double mu);

// Another upper bound, in double arithmetic: larger by at most 2^-37 times Phi(mu/2 - epsilon/mu).
double delta_gaussian_quick(double epsilon, double mu);

// An upper bound of ln delta(epsilon; mu), also where delta itself is far below the smallest double.
double log_delta_gaussian(double epsilon, double mu);

// The smallest epsilon >= 0 with delta(epsilon; mu) <= delta, rounded up; infinity when it exceeds every double.
// mu >= 0 and finite, 0 < delta < 1.
double epsilon_gaussian(double mu, double delta);

// The largest mu with delta(epsilon; mu) <= delta, rounded down. epsilon >= 0 and finite, 0 < delta < 1.
double mu_for(double epsilon, double delta);

}  // namespace dperm::privacy
