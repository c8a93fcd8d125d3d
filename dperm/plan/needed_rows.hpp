// SPDX-License-Identifier: Apache-2.0
// The inverse question: how many records give a wanted accuracy.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dperm/plan/compare.hpp"
#include "dperm/plan/measure.hpp"

namespace dperm::plan {

inline constexpr std::size_t kMostRows = std::size_t{1} << 40;

// The smallest number of rows (to 1%) at which the measure of the method's plan is at most `target`, with everything
// else as in the question; nothing when even kMostRows are too few.
std::optional<std::size_t> needed_rows(const std::string& method, methods::Question question, const GivenOptions& given,
                                       double target, const Measure& measure = proven_risk);

}  // namespace dperm::plan
