// SPDX-License-Identifier: Apache-2.0
// Random sets of records of a fixed size. Exact in distribution. Proof note: subset.md.
#pragma once

#include <cstddef>
#include <vector>

#include "dperm/random/bits.hpp"

namespace dperm::random {

// A uniformly chosen set of `size` numbers below `count`, strictly increasing; ArgumentError unless size <= count.
std::vector<std::size_t> fixed_subset(BitSource& bits, std::size_t count, std::size_t size);

}  // namespace dperm::random
