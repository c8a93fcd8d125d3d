// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/constant/constant_counts.hpp"

#include <cmath>

#include "dperm/core/rounding.hpp"

namespace dperm::methods {

// [proof methods_constant.counts]
// Replacing a record moves one count of two classes by at most 1, and two of several by 1 each.
SumSensitivity count_sensitivity(bool one) {
  if (one) return {1, 1};
  return {2, rounded_up(std::sqrt(2.0))};
}

// The rows whose target is above 0, from the sum of targets -1 and +1; within 1 of it for any neighbour, whatever the
// targets are, because the engine clamps them.
std::vector<std::int64_t> positive_rows(const engine::RowSums& sums, Threads threads) {
  const std::int64_t twice = static_cast<std::int64_t>(sums.rows()) + sums.target_sum(1, threads);
  return {twice / 2};
}

// The same for both: a row moves one of them, or one down and the other up. Targets other than -1 and +1 count half.
std::vector<std::int64_t> both_rows(const engine::RowSums& sums, Threads threads) {
  const auto filled = static_cast<std::int64_t>(sums.filled_rows());
  const std::int64_t surplus = sums.target_sum(1, threads);
  return {(filled + surplus) / 2, (filled - surplus) / 2};
}

// A row counts for its own class, and for none if its target is no class.
std::vector<std::int64_t> class_rows(const engine::RowSums& sums, std::size_t classes, Threads threads) {
  std::vector<std::int64_t> counts(classes, 0);
  for (const std::int32_t target : sums.sorted_targets(threads)) {
    if (target >= 0 && static_cast<std::size_t>(target) < classes) ++counts[static_cast<std::size_t>(target)];
  }
  return counts;
}
// [/proof]

}  // namespace dperm::methods
