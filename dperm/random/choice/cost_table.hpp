// SPDX-License-Identifier: Apache-2.0
// Internal: runs of candidates under a staircase of powers of two that lies above their weights. Proof: selection.md.
#pragma once

#include <mpfr.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/random/choice/selection.hpp"
#include "dperm/random/real.hpp"

namespace dperm::random::detail {

__extension__ typedef unsigned __int128 Wide;

struct Candidate {
  std::uint64_t number;
  std::size_t run;
};

class CostTable {
 public:
  // Without shortcuts every decision is taken in interval arithmetic: the same result, slowly. Tests compare.
  CostTable(std::span<const CostRun> runs, CostScale scale, bool shortcuts = true);

  Candidate draw(BitSource& bits) const;  // exactly exponential

  std::uint64_t gap(const CostRun& run) const { return static_cast<std::uint64_t>(run.cost - best_); }
  double exponent(std::uint64_t gap) const;  // gap / scale to a relative 2^-50
  // gap / scale, rounded in the given direction.
  void exponent(Real& out, std::uint64_t gap, mpfr_rnd_t direction) const;

 private:
  // Candidates of one run at distances start, start + 1, ... from its better end, all under 2^-halvings.
  struct Step {
    std::uint64_t start;
    std::uint32_t run;
    std::int32_t halvings;
  };

  int halvings(std::uint64_t gap) const;
  void add_steps(std::uint32_t index);
  bool accept(BitSource& bits, std::uint64_t gap, int halvings) const;

  std::span<const CostRun> runs_;
  CostScale scale_;
  bool shortcuts_;
  std::int64_t best_ = 0;
  std::vector<std::uint64_t> first_;  // number of each run's first candidate
  std::vector<Step> steps_;
  std::vector<Wide> ends_;  // running sum of size * 2^(kDepth - halvings)
};

std::uint64_t permute_and_flip(BitSource& bits, std::span<const CostRun> runs, CostScale scale, bool shortcuts);

}  // namespace dperm::random::detail
