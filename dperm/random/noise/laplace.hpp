// SPDX-License-Identifier: Apache-2.0
// The discrete Laplace distribution, exact. Proof note: laplace.md.
#pragma once

#include <cstdint>

#include "dperm/random/bits.hpp"

namespace dperm::random {

inline constexpr std::uint64_t kMaximumLaplaceScale = std::uint64_t{1} << 50;

// P(k) proportional to exp(-|k| denominator / numerator), i.e. scale numerator / denominator.
// Both must be positive and below 2^62, the scale at most kMaximumLaplaceScale so that samples fit 64 bits;
// throws ArgumentError otherwise.
std::int64_t discrete_laplace(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator);

}  // namespace dperm::random
