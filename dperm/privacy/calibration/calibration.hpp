// SPDX-License-Identifier: Apache-2.0
// From a promise to the noise that keeps it, rounded to the safe side: the accountant's answer for the resulting events
// is never above the epsilon asked for. Note: dperm/privacy/composition/accountant.md.
#pragma once

#include <cstdint>

namespace dperm::privacy {

// An epsilon above this bounds the odds by e^1000: it would be a promise in name only, and is refused.
inline constexpr double kMaximumEpsilon = 1000;

// Throws ArgumentError unless epsilon is positive, finite and at most kMaximumEpsilon.
void require_meaningful_epsilon(double epsilon);

// Smallest sigma (tight, [BW18]; up to rounding) at which `repetitions` Gaussian releases of this sensitivity together
// are (epsilon, delta)-private. Does not look at the sampler's range; the curator does.
double sigma_for(double l2_sensitivity, double epsilon, double delta, std::int64_t repetitions = 1);

// l2_sensitivity sqrt(2 ln(1.25/delta)) / epsilon for one release, [DR14, Thm A.1]: proved for epsilon < 1 only and
// refused otherwise.
double textbook_sigma(double l2_sensitivity, double epsilon, double delta);

// A fraction at least repetitions * l1_sensitivity / epsilon, both parts below 2^62, within one part in 2^50 of it.
// Throws ArgumentError where no such fraction exists.
struct LaplaceScale {
  std::uint64_t numerator;
  std::uint64_t denominator;
};
LaplaceScale laplace_scale_for(std::uint64_t l1_sensitivity, double epsilon, std::int64_t repetitions = 1);

// The scale of a choice of range 1 whose epsilon is at least the one given and at most one part in 2^39 above: for
// accounting of choices of which only the epsilon is known.
LaplaceScale choice_scale_of(double epsilon);

// The smallest double at least repetitions * l2_sensitivity / epsilon.
double k_norm_scale_for(double l2_sensitivity, double epsilon, std::int64_t repetitions = 1);

}  // namespace dperm::privacy
