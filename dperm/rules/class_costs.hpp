// SPDX-License-Identifier: Apache-2.0
// How many rows each rule of a simple class gets wrong, from counts by value and label, in runs. Replacing a row
// changes no rule's count by more than 1. Note: dperm/methods/exponential_rules/finite_choice.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/engine/queries.hpp"
#include "dperm/random/choice/selection.hpp"

namespace dperm::rules {

// Appends a run, or lengthens the last one when the cost is the same.
void append_run(std::vector<random::CostRun>& runs, std::uint64_t size, std::int64_t cost);

// Rules "yes from cell t on", t = 0, ..., cells, and then (both_directions) "yes below t". With `parts` those whose t
// is i cells / parts rounded up, i = 0, ..., parts: a coarser choice of limits, or a finer one in which many agree.
std::vector<random::CostRun> threshold_costs(const engine::LabelCounts& counts, bool both_directions);
std::vector<random::CostRun> threshold_costs(const engine::LabelCounts& counts, std::uint64_t parts,
                                             bool both_directions);

// The same for values 0, ..., domain - 1 that need not be counted into cells: domain + 1 rules per direction. Sorts.
struct LabelledValue {
  std::uint64_t value;
  bool positive;
};
std::vector<random::CostRun> threshold_costs(std::vector<LabelledValue> rows, std::uint64_t domain,
                                             bool both_directions);

// Rule 0 is "never"; then "yes in cells a, ..., b - 1" for all 0 <= a < b <= cells, a first.
std::vector<random::CostRun> interval_costs(const engine::LabelCounts& counts);
// The limits of rule number 1, 2, ...
struct CellRange {
  std::size_t begin, end;
  bool operator==(const CellRange&) const = default;
};
std::uint64_t interval_count(std::size_t cells);  // with "never"
CellRange interval_of(std::uint64_t number, std::size_t cells);

// Rule 0 is "never"; then every pair of intervals, the first column's first. counts as label_counts_of_pair gives them.
std::vector<random::CostRun> rectangle_costs(const engine::LabelCounts& counts, std::size_t parts);

// Rules whose errors were counted one by one.
std::vector<random::CostRun> listed_costs(std::span<const std::int64_t> errors);

// Conjunctions of at most `most` literals, numbered as engine::ConjunctionQuery lists them.
std::uint64_t conjunction_count(std::size_t literals, std::size_t most);  // 2^63 where it is more
std::vector<std::size_t> conjunction_of(std::uint64_t number, std::size_t literals, std::size_t most);

}  // namespace dperm::rules
