// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_location/location_costs.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::methods {

namespace {

constexpr int kLatticeBits = 31;

// Calls visit(candidate, targets below it, targets up to it) for every candidate that some target is nearest to.
template <class Visit>
void for_each_occupied(std::span<const std::int32_t> sorted, const LocationGrid& grid, Visit&& visit) {
  for (std::size_t i = 0; i < sorted.size();) {
    const std::uint64_t here = grid.nearest(sorted[i]);
    std::size_t end = i + 1;
    while (end < sorted.size() && grid.nearest(sorted[end]) == here) ++end;
    visit(here, static_cast<std::int64_t>(i), static_cast<std::int64_t>(end));
    i = end;
  }
}

}  // namespace

LocationGrid LocationGrid::with(int bits, std::int64_t limit) {
  require(bits >= 1 && bits <= kLatticeBits, "a location grid takes 1 to 31 bits");
  require(limit >= 0 && limit <= schema::kTargetOne, "a location grid lies within [-1, 1]");
  const std::int64_t step = std::int64_t{1} << (kLatticeBits - bits);
  return {step, limit / step};
}

// [proof methods_exponential_location.costs]
std::uint64_t LocationGrid::nearest(std::int32_t target) const {
  const std::int64_t shifted = std::int64_t{target} + half * step + step / 2;
  const std::int64_t number = shifted <= 0 ? 0 : shifted / step;
  return static_cast<std::uint64_t>(std::min(number, 2 * half));
}

double LocationGrid::value(std::uint64_t candidate) const {
  return static_cast<double>((static_cast<std::int64_t>(candidate) - half) * step) / schema::kTargetOne;
}

std::vector<random::CostRun> rank_costs(std::span<const std::int32_t> sorted, std::int64_t doubled_rank,
                                        const LocationGrid& grid) {
  std::vector<random::CostRun> runs;
  const auto miss = [&](std::int64_t below, std::int64_t up_to) {
    return std::max({std::int64_t{0}, 2 * below - doubled_rank, doubled_rank - 2 * up_to});
  };
  std::uint64_t next = 0;
  std::int64_t passed = 0;
  for_each_occupied(sorted, grid, [&](std::uint64_t here, std::int64_t below, std::int64_t up_to) {
    if (here > next) runs.push_back({here - next, miss(below, below)});
    runs.push_back({1, miss(below, up_to)});
    next = here + 1;
    passed = up_to;
  });
  if (next < grid.candidates()) runs.push_back({grid.candidates() - next, miss(passed, passed)});
  return runs;
}

std::vector<random::CostRun> loss_costs(std::span<const std::int32_t> sorted, LossWeights weights,
                                        const LocationGrid& grid) {
  const auto rows = static_cast<std::int64_t>(sorted.size());
  std::int64_t cost = 0;  // at candidate `from`
  for (const std::int32_t target : sorted) cost += weights.below * static_cast<std::int64_t>(grid.nearest(target));
  std::vector<random::CostRun> runs;
  std::uint64_t from = 0;
  std::int64_t slope = -weights.below * rows;
  const auto run_until = [&](std::uint64_t end) {
    if (end == from) return;
    runs.push_back({end - from, cost, slope});
    cost += slope * static_cast<std::int64_t>(end - from);
    from = end;
  };
  for_each_occupied(sorted, grid, [&](std::uint64_t here, std::int64_t, std::int64_t up_to) {
    run_until(here);
    slope = weights.above * up_to - weights.below * (rows - up_to);
  });
  run_until(grid.candidates());
  return runs;
}

std::uint64_t loss_range(LossWeights weights, const LocationGrid& grid) {
  return static_cast<std::uint64_t>((weights.below + weights.above) * 2 * grid.half);
}
// [/proof]

}  // namespace dperm::methods
