// SPDX-License-Identifier: Apache-2.0
// What every point of a public grid on the target's lattice costs as an answer to "where is the middle (or a quantile)
// of these targets?", in runs. Integers only; time depends on the number of targets, never on the grid. Note:
// exponential_location.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dperm/random/choice/selection.hpp"

namespace dperm::methods {

// The points step * k, |k| <= half, in lattice units (2^30 is 1). Candidate number i is the point step * (i - half).
struct LocationGrid {
  std::int64_t step;
  std::int64_t half;

  // The whole lattice within `limit` (0 to 2^30) in steps of 2^(31 - bits).
  static LocationGrid with(int bits, std::int64_t limit);
  std::uint64_t candidates() const { return static_cast<std::uint64_t>(2 * half + 1); }
  // The nearest candidate's number: a record's own, whatever the other records are.
  std::uint64_t nearest(std::int32_t target) const;
  double value(std::uint64_t candidate) const;  // as a fraction of kTargetOne
};

// Twice the number of ranks by which a point misses the wanted rank: dist(wanted, [2 #{x < w}, 2 #{x <= w}]), where
// `doubled_rank` is twice the wanted rank. Targets in increasing order.
std::vector<random::CostRun> rank_costs(std::span<const std::int32_t> sorted, std::int64_t doubled_rank,
                                        const LocationGrid& grid);
inline constexpr std::uint64_t kRankRange = 4;

// sum_i (below (x_i - w)_+ + above (w - x_i)_+) in grid steps.
struct LossWeights {
  std::int64_t below;
  std::int64_t above;
};
std::vector<random::CostRun> loss_costs(std::span<const std::int32_t> sorted, LossWeights weights,
                                        const LocationGrid& grid);
// (below + above) times the width of the grid; no cost exceeds rows times as much.
std::uint64_t loss_range(LossWeights weights, const LocationGrid& grid);

}  // namespace dperm::methods
