// SPDX-License-Identifier: Apache-2.0
// The inverse question: how many records give a promised excess risk.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dperm/plan/compare.hpp"

namespace dperm::plan {

inline constexpr std::size_t kMostRows = std::size_t{1} << 40;

// The smallest number of rows (to 1%) at which the method's utility bound is at most target_risk, with everything else
// as in the question; nothing when even kMostRows are too few.
std::optional<std::size_t> needed_rows(const std::string& method, methods::Question question, const GivenOptions& given,
                                       double target_risk);

}  // namespace dperm::plan
