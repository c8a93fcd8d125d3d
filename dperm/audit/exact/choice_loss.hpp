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

// ln of the sum of exp(-cost / scale) over the second table's candidates, less that over the first's: what the
// exponential mechanism's log-ratio is beside the difference of costs.
double normaliser_gap(const CostRuns& first, const CostRuns& second, double scale);

// The lower bound of epsilon that a game of so many counted runs on each table is expected to show, at 99.9%
// confidence: of the test that names the first table where the chosen candidate's loss is high enough, or the second
// where it is low enough.
double choice_power(const CostRuns& first, const CostRuns& second, double scale, double runs);

}  // namespace dperm::audit
