// SPDX-License-Identifier: Apache-2.0
// How often a mechanism runs before the best run is released: random counts, exact in distribution. Proof note:
// repetitions.md.
#pragma once

#include <cstdint>

#include "dperm/random/bits.hpp"

namespace dperm::random {

// Counts are as large as the distribution makes them; the ranges keep the time to draw one short.
inline constexpr double kLargestPoissonMean = 1e4;
inline constexpr double kLeastSuccess = 1e-4;

// Both throw ArgumentError outside the range named. Parameters are taken as the exact numbers that the doubles are.

// Poisson, 0 < mean <= kLargestPoissonMean.
std::uint64_t poisson(BitSource& bits, double mean);

// k = 1, 2, ... with probability proportional to (1 - success)^k Gamma(k + shape) / k!: shape 1 is geometric, shape 0
// logarithmic. 0 <= shape <= 1000, kLeastSuccess <= success < 1.
std::uint64_t truncated_negative_binomial(BitSource& bits, double shape, double success);

}  // namespace dperm::random
