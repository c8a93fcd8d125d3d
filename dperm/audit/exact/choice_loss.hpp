// SPDX-License-Identifier: Apache-2.0
// Choices among candidates whose costs are known: how far costs are apart, and the exact privacy loss of the
// exponential mechanism.
#pragma once

#include <vector>

#include "dperm/random/choice/selection.hpp"

namespace dperm::audit {

using CostRuns = std::vector<random::CostRun>;

// The most minus the least by which the costs of a candidate differ.
double cost_range(const CostRuns& first, const CostRuns& second);

// The largest |ln(P(candidate) / P'(candidate))| over all candidates, each chosen with odds exp(-cost / scale).
double choice_loss(const CostRuns& first, const CostRuns& second, double scale);

}  // namespace dperm::audit
