// SPDX-License-Identifier: Apache-2.0
// What parts of a table answer, and how answers add up: exact integers, with the rows that they count. Computed from
// records, so as sensitive as these, wherever the bytes travel. Note: remote_sums.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dperm/engine/queries.hpp"
#include "dperm/engine/resolution.hpp"

namespace dperm::engine::remote {

using Totals = std::vector<std::int64_t>;
using WideTotals = std::vector<WideSum>;
struct SortedTargets {
  std::vector<std::int32_t> targets;
};

// Rows first, first + 1, ..., first + count - 1.
struct RowRun {
  std::size_t first;
  std::size_t count;
};

struct Answer {
  std::uint64_t serial = 0;  // of the question
  std::vector<RowRun> rows;  // that are counted: ascending, no two touch
  std::variant<Totals, WideTotals, SortedTargets> body;
};

std::string to_bytes(Answer answer);
Answer answer_from(std::string_view bytes);  // InternalError

// The answer of the rows of both. InternalError for answers to different questions, for a row that both count, and for
// totals that overflow.
Answer sum(const Answer& a, const Answer& b);

}  // namespace dperm::engine::remote
