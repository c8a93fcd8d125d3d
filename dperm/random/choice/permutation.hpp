// SPDX-License-Identifier: Apache-2.0
// A uniformly random order of records. Exact in distribution. Proof note: permutation.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dperm/random/bits.hpp"

namespace dperm::random {

inline constexpr std::size_t kMostPermuted = std::size_t{1} << 32;

// The numbers below `count` in random order, each order equally likely; ArgumentError above kMostPermuted.
std::vector<std::uint32_t> permutation(BitSource& bits, std::size_t count);

}  // namespace dperm::random
