// SPDX-License-Identifier: Apache-2.0
// A group of records in a Poisson sample: how many of them are in it. Note: sampled_group.md.
#pragma once

#include <cstdint>
#include <vector>

namespace dperm::privacy {

// Probabilities that 0, 1, ..., group of them are; 0 < rate <= 1.
std::vector<double> binomial_chances(std::uint64_t group, double rate);

}  // namespace dperm::privacy
