// SPDX-License-Identifier: Apache-2.0
// Public bins for the scores of a model: from its released weights and public facts, never from the rows judged.
#pragma once

#include <cstddef>
#include <vector>

#include "dperm/methods/evaluation/prediction.hpp"

namespace dperm::methods {

// bins - 1 strictly increasing edges (bins at least 4), 0 and `threshold` (a score) among them. Half of the bins are
// even in probability, half in the distribution that scores have if values lie evenly over their columns' ranges.
std::vector<double> score_edges(const FittedModel& model, std::size_t bins, double threshold);

// The score of a probability; +-infinity for 1 and 0.
double log_odds(double probability);
double probability_of(double score);

}  // namespace dperm::methods
