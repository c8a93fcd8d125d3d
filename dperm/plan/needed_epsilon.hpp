// SPDX-License-Identifier: Apache-2.0
// The other inverse question: how much privacy budget a promised excess risk costs.
#pragma once

#include <optional>
#include <string>

#include "dperm/plan/compare.hpp"

namespace dperm::plan {

// The smallest epsilon (to 1%, between 1e-4 and 100) at which the method's utility bound is at most target_risk, with
// everything else as in the question; nothing when even 100 is too little.
std::optional<double> needed_epsilon(const std::string& method, methods::Question question, const GivenOptions& given,
                                     double target_risk);

}  // namespace dperm::plan
