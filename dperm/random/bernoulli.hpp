// SPDX-License-Identifier: Apache-2.0
// Exact coin flips and uniform integers. Proof note: bernoulli.md.
#pragma once

#include <cstdint>

#include "dperm/random/bits.hpp"

namespace dperm::random {

// Each throws ArgumentError outside the range named.

// Uniform on {0, ..., bound - 1}; bound >= 1.
std::uint64_t uniform_below(BitSource& bits, std::uint64_t bound);

// True with probability exactly numerator / denominator; 0 <= numerator <= denominator, denominator >= 1.
bool bernoulli(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator);

// True with probability exactly exp(-numerator / denominator); denominator >= 1.
bool bernoulli_exp(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator);

}  // namespace dperm::random
