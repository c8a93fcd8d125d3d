// SPDX-License-Identifier: Apache-2.0
// One of many candidates, chosen with odds that fall exponentially with an integer cost; exact in distribution.
// Candidates come in runs, so that billions of them cost no more than their runs. Proof note: selection.md.
#pragma once

#include <cstdint>
#include <span>

#include "dperm/random/bits.hpp"

namespace dperm::random {

// Consecutive candidates; number j of the run, from 0, costs cost + j * slope. Less is better.
struct CostRun {
  std::uint64_t size;  // at least 1
  std::int64_t cost;
  std::int64_t slope = 0;
};

// A cost c weighs exp(-c * denominator / numerator).
struct CostScale {
  std::uint64_t numerator;    // positive, below 2^62
  std::uint64_t denominator;  // positive, below 2^62
};

inline constexpr std::uint64_t kMostCandidates = std::uint64_t{1} << 62;
inline constexpr std::size_t kMostRuns = std::size_t{1} << 28;       // fewer than this many, for permute-and-flip
inline constexpr std::int64_t kLargestCost = std::int64_t{1} << 61;  // in size, of any candidate

// Candidates are numbered from 0 through the runs in their order; both return a candidate's number. Throw
// ArgumentError for an impossible scale and InternalError for no runs, an empty run, too many candidates or costs
// beyond kLargestCost.

// The exponential mechanism: candidate i with probability exp(-c_i / scale) / sum_j exp(-c_j / scale).
std::uint64_t choose_exponential(BitSource& bits, std::span<const CostRun> runs, CostScale scale);

// Permute-and-flip: candidates in uniformly random order, each accepted with probability exp(-(c - best) / scale); the
// first accepted. Never a larger expected cost than the exponential mechanism. Runs must have slope 0.
std::uint64_t permute_and_flip(BitSource& bits, std::span<const CostRun> runs, CostScale scale);

}  // namespace dperm::random
