// SPDX-License-Identifier: Apache-2.0
// The other inverse question: how much privacy budget a wanted accuracy costs.
#pragma once

#include <optional>
#include <string>

#include "dperm/plan/compare.hpp"
#include "dperm/plan/measure.hpp"

namespace dperm::plan {

// The smallest epsilon (to 1%, between 1e-4 and 100) at which the measure of the method's plan is at most `target`,
// with everything else as in the question; nothing when even 100 is too little.
std::optional<double> needed_epsilon(const std::string& method, methods::Question question, const GivenOptions& given,
                                     double target, const Measure& measure = proven_risk);

}  // namespace dperm::plan
