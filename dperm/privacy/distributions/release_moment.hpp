// SPDX-License-Identifier: Apache-2.0
// E e^(theta L) of one release, in closed form or by a sum with a proved error. Note: loss_distribution.md.
#pragma once

namespace dperm::privacy {

// Each is e^-log_reference times the moment, or at most 1e-11 of it less; theta > 0.

// Outcomes with probabilities (p, 1 - p) against (q, 1 - q).
double two_outcomes_moment(double p, double q, double theta, double log_reference);
// The Laplace pair at distance epsilon.
double laplace_moment(double epsilon, double theta, double log_reference);
// One record removed from a Poisson sample: Gaussian noise, mu being contribution over sigma, and Laplace noise.
double sampled_gaussian_moment(double mu, double rate, double theta, double log_reference);
// Somewhat less than the moment: the outcomes are told apart in intervals.
double sampled_laplace_moment(double epsilon, double rate, double theta, double log_reference);
// One record replaced, Gaussian noise, 0 < rate < 1.
double sampled_gaussian_replace_moment(double mu, double rate, double theta, double log_reference);

}  // namespace dperm::privacy
