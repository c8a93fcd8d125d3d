// SPDX-License-Identifier: Apache-2.0
// How many rows have which target, and how far one record can move that. Used inside Sensitive::map only. Note:
// constant.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/shared/sum_noise.hpp"

namespace dperm::methods {

// Of one count, positive_rows, or of several, both_rows and class_rows.
SumSensitivity count_sensitivity(bool one);

std::vector<std::int64_t> positive_rows(const engine::RowSums& sums, Threads threads);
// Positive and negative ones, for tables that may have blank rows, which are neither.
std::vector<std::int64_t> both_rows(const engine::RowSums& sums, Threads threads);
std::vector<std::int64_t> class_rows(const engine::RowSums& sums, std::size_t classes, Threads threads);

}  // namespace dperm::methods
