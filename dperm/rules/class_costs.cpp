// SPDX-License-Identifier: Apache-2.0
// Proof note: dperm/methods/exponential_rules/finite_choice.md.
#include "dperm/rules/class_costs.hpp"

#include <algorithm>
#include <numeric>

#include "dperm/core/check.hpp"

namespace dperm::rules {

namespace {

constexpr std::uint64_t kTooMany = std::uint64_t{1} << 63;

std::int64_t total(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

// n choose k, at most kTooMany.
std::uint64_t choose(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  __extension__ unsigned __int128 result = 1;
  for (std::uint64_t i = 1; i <= k; ++i) {
    result = result * (n - k + i) / i;
    if (result >= kTooMany) return kTooMany;
  }
  return static_cast<std::uint64_t>(result);
}

void append_opposites(std::vector<random::CostRun>& runs, std::int64_t rows) {
  const std::vector<random::CostRun> first_direction = runs;  // the last run may grow while it is mirrored
  for (const random::CostRun& run : first_direction) append_run(runs, run.size, rows - run.cost);
}

}  // namespace

void append_run(std::vector<random::CostRun>& runs, std::uint64_t size, std::int64_t cost) {
  if (size == 0) return;
  if (!runs.empty() && runs.back().cost == cost) {
    runs.back().size += size;
  } else {
    runs.push_back({size, cost});
  }
}

// [proof methods_finite_choice.costs]
std::vector<random::CostRun> threshold_costs(const engine::LabelCounts& counts, std::uint64_t parts,
                                             bool both_directions) {
  std::vector<random::CostRun> runs;
  const std::uint64_t cells = counts.negative.size();
  std::int64_t errors = total(counts.negative);  // "yes from cell 0 on" says yes to all
  const std::int64_t rows = errors + total(counts.positive);
  append_run(runs, 1, errors);
  for (std::uint64_t t = 1; t <= cells; ++t) {
    errors += counts.positive[t - 1] - counts.negative[t - 1];
    const std::uint64_t agreeing =
        t * parts / cells - (t - 1) * parts / cells;  // limits i with t - 1 < i cells/parts <= t
    if (agreeing > 0) append_run(runs, agreeing, errors);
  }
  if (both_directions) append_opposites(runs, rows);
  return runs;
}

std::vector<random::CostRun> threshold_costs(const engine::LabelCounts& counts, bool both_directions) {
  return threshold_costs(counts, counts.negative.size(), both_directions);
}

std::vector<random::CostRun> threshold_costs(std::vector<LabelledValue> rows, std::uint64_t domain,
                                             bool both_directions) {
  // One number per row sorts twice as fast as a pair: the label is the lowest bit.
  std::vector<std::uint64_t> keys(rows.size());
  std::int64_t errors = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ensure(rows[i].value < domain && domain <= kTooMany / 2, "a value outside its domain");
    keys[i] = 2 * rows[i].value + (rows[i].positive ? 1 : 0);
    errors += !rows[i].positive;
  }
  std::sort(keys.begin(), keys.end());
  std::vector<random::CostRun> runs;
  std::uint64_t from = 0;  // the first threshold whose errors are not written yet
  for (std::size_t i = 0; i < keys.size();) {
    const std::uint64_t value = keys[i] / 2;
    append_run(runs, value + 1 - from, errors);  // thresholds up to the value say yes to it
    from = value + 1;
    for (; i < keys.size() && keys[i] / 2 == value; ++i) errors += (keys[i] & 1) != 0 ? 1 : -1;
  }
  append_run(runs, domain + 1 - from, errors);
  if (both_directions) append_opposites(runs, static_cast<std::int64_t>(rows.size()));
  return runs;
}

std::vector<random::CostRun> interval_costs(const engine::LabelCounts& counts) {
  const std::int64_t positives = total(counts.positive);
  std::vector<random::CostRun> runs;
  append_run(runs, 1, positives);
  for (std::size_t begin = 0; begin < counts.negative.size(); ++begin) {
    std::int64_t errors = positives;
    for (std::size_t cell = begin; cell < counts.negative.size(); ++cell) {
      errors += counts.negative[cell] - counts.positive[cell];
      append_run(runs, 1, errors);
    }
  }
  return runs;
}

std::vector<random::CostRun> rectangle_costs(const engine::LabelCounts& counts, std::size_t parts) {
  const std::int64_t positives = total(counts.positive);
  std::vector<random::CostRun> runs;
  append_run(runs, 1, positives);
  for (std::size_t top = 0; top < parts; ++top) {
    std::vector<std::int64_t> strip(parts, 0);  // negatives less positives of the rows of cells top, ..., bottom
    for (std::size_t bottom = top; bottom < parts; ++bottom) {
      for (std::size_t b = 0; b < parts; ++b) {
        strip[b] += counts.negative[bottom * parts + b] - counts.positive[bottom * parts + b];
      }
      for (std::size_t begin = 0; begin < parts; ++begin) {
        std::int64_t errors = positives;
        for (std::size_t b = begin; b < parts; ++b) append_run(runs, 1, errors += strip[b]);
      }
    }
  }
  return runs;
}

std::vector<random::CostRun> listed_costs(std::span<const std::int64_t> errors) {
  std::vector<random::CostRun> runs;
  for (const std::int64_t each : errors) append_run(runs, 1, each);
  return runs;
}
// [/proof]

std::uint64_t interval_count(std::size_t cells) { return 1 + std::uint64_t{cells} * (cells + 1) / 2; }

CellRange interval_of(std::uint64_t number, std::size_t cells) {
  std::uint64_t left = number - 1;
  std::size_t begin = 0;
  for (; left >= cells - begin; ++begin) left -= cells - begin;
  return {begin, begin + 1 + static_cast<std::size_t>(left)};
}

std::uint64_t conjunction_count(std::size_t literals, std::size_t most) {
  std::uint64_t sum = 0;
  for (std::size_t size = 0; size <= std::min(most, literals); ++size) {
    const std::uint64_t more = choose(literals, size);
    if (more >= kTooMany - sum) return kTooMany;  // the sum itself would wrap
    sum += more;
  }
  return sum;
}

std::vector<std::size_t> conjunction_of(std::uint64_t number, std::size_t literals, std::size_t most) {
  std::size_t size = 0;
  for (; size <= most && number >= choose(literals, size); ++size) number -= choose(literals, size);
  ensure(size <= most, "no such conjunction");
  std::vector<std::size_t> chosen;
  for (std::size_t next = 0; chosen.size() < size; ++next) {
    const std::uint64_t starting_here = choose(literals - next - 1, size - chosen.size() - 1);
    if (number < starting_here) {
      chosen.push_back(next);
    } else {
      number -= starting_here;
    }
  }
  return chosen;
}

}  // namespace dperm::rules
