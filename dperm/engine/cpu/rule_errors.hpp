// SPDX-License-Identifier: Apache-2.0
// What rules say about the rows of tiles, and how many rows they get wrong (target > 0 is yes). One row changes a
// rule's errors by at most 1. Note: dperm/methods/exponential_rules/finite_choice.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/queries.hpp"

namespace dperm::engine {

std::vector<std::int64_t> rule_errors(const data::TileSet& tiles, std::span<const rules::Hypothesis> rules,
                                      Threads threads);
std::vector<std::int64_t> conjunction_errors(const data::TileSet& tiles, const ConjunctionQuery& query,
                                             Threads threads);

// +1 or -1 for every row, in order.
std::vector<double> rule_outputs(const data::TileSet& tiles, const rules::Hypothesis& rule, Threads threads);

}  // namespace dperm::engine
