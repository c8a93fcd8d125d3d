// SPDX-License-Identifier: Apache-2.0
// Random sets of records: who takes part in a sampled release. Exact in distribution. Proof note: subset.md.
#pragma once

#include <cstddef>
#include <vector>

#include "dperm/random/bits.hpp"

namespace dperm::random {

// Both return strictly increasing numbers below `count`.

// Each number independently with probability exactly `rate`, a double in [0, 1]; ArgumentError otherwise.
std::vector<std::size_t> poisson_subset(BitSource& bits, std::size_t count, double rate);

// A uniformly chosen set of `size` numbers; ArgumentError unless size <= count.
std::vector<std::size_t> fixed_subset(BitSource& bits, std::size_t count, std::size_t size);

}  // namespace dperm::random
