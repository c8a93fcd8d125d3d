// SPDX-License-Identifier: Apache-2.0
// Noise for pure epsilon in the L2 norm: a vector with density proportional to exp(-||b|| / scale), each coordinate
// rounded to the nearest integer, exact in distribution. Proof note: k_norm.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dperm/random/bits.hpp"

namespace dperm::random {

inline constexpr std::size_t kMaximumKNormDimension = std::size_t{1} << 17;

// 1 <= dimension <= kMaximumKNormDimension, 0.5 <= scale <= 2^50; throws ArgumentError otherwise.
std::vector<std::int64_t> rounded_k_norm(BitSource& bits, std::size_t dimension, double scale);

}  // namespace dperm::random
