// SPDX-License-Identifier: Apache-2.0
// The distribution of the privacy loss L = ln(dP/dQ) for one ordered pair of output distributions (P, Q) that dominates
// a mechanism. Everything an accountant needs is the mass that P and Q give to an interval of losses. Note:
// loss_distribution.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dperm/privacy/objective/objective_profile.hpp"

namespace dperm::privacy {

struct Masses {
  double p = 0;
  double q = 0;
};

struct LossRange {
  double lower;
  double upper;
};

class LossDistribution {
 public:
  virtual ~LossDistribution() = default;
  // Masses of {lower < L <= upper}, each to a relative error of 2^-39; the ends may be infinite, and are moved by at
  // most 2^-39 (the same end always by the same amount).
  virtual Masses between(double lower, double upper) const = 0;
  // Not below ln E_P[e^(theta L); L > top] for theta > 0; minus infinity where there are no such losses, infinity where
  // nothing is known.
  virtual double log_moment_beyond(double theta, double top) const;
  // P(L <= lower) <= tail and P(L > upper) <= tail.
  virtual LossRange range(double tail) const = 0;
  // A loss that carries much mass and is worth a grid point.
  virtual double anchor() const { return 0; }
  // The distance from the anchor to another atom, 0 when there is none: best a multiple of the grid's step.
  virtual double spacing() const { return 0; }
};

using Distribution = std::shared_ptr<const LossDistribution>;

// N(mu, 1) against N(0, 1).
Distribution gaussian_distribution(double mu);
// The Laplace pair at distance epsilon scales: also permute-and-flip.
Distribution laplace_distribution(double epsilon);
// Loss +-epsilon: randomised response, and the worst pair of any epsilon-private mechanism.
Distribution pure_distribution(double epsilon);
// The pointwise worst curve of all epsilon-bounded-range mechanisms (exponential mechanism).
Distribution bounded_range_distribution(double epsilon);
// (1-rate) Q + rate P against Q: Poisson sampling, one record removed.
Distribution sampled_distribution(Distribution base, double rate);
// Q against P.
Distribution reversed_distribution(Distribution base);
// (1-q) N(0,1) + q N(mu,1) against (1-q) N(0,1) + q N(-mu,1): Poisson sampling, one record replaced; 0 < rate < 1.
Distribution sampled_gaussian_replace_distribution(double mu, double rate);
// Poisson sampling of `group` records, all replaced, or all removed: sum_j Binomial(group, rate)(j) N(j mu, 1) against
// the same with -mu, or against N(0, 1); 0 < rate < 1. Note: sampled_group.md.
Distribution group_replace_distribution(double mu, double rate, std::uint64_t group);
Distribution group_removal_distribution(double mu, double rate, std::uint64_t group);
// False where they are those of a group of which every record takes part, which dominate: few are outside the sample,
// or the noise is small.
bool group_distribution_is_attained(double mu, double rate, std::uint64_t group);
// Sampling without replacement, one record replaced. `base` is the unsampled distribution under replacement, symmetric.
Distribution fixed_size_distribution(Distribution base, double rate);
// Finitely many losses, in rising order, with their masses of P; the rest of P's mass is an infinite loss.
struct Atom {
  double loss, p;
};
Distribution atoms_distribution(std::vector<Atom> atoms, double infinite);
// The smallest convex curve above the proved profile and its mirror, for perturbed objectives.
Distribution objective_distribution(const PerturbedObjective& objective);

}  // namespace dperm::privacy
