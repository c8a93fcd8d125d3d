// SPDX-License-Identifier: Apache-2.0
// Predictions in plain words.
#pragma once

#include <string>

#include "dperm/plan/compare.hpp"

namespace dperm::cli {

// Half of the distance between the target's bounds; 1 for targets that are not real.
double target_half_width(const schema::Encoding& encoding);

// What to expect of the alternative, which has a plan, and what twice the rows or epsilon would change; several lines.
// `half_width` turns encoded scores of a real target into its unit.
std::string prediction_text(const plan::Alternative& chosen, const methods::Question& question,
                            const plan::GivenOptions& given, const plan::Population& population, double half_width);

// One line for a model that is about to be fitted; empty where nothing is predicted.
std::string expectation_line(const plan::Alternative& chosen, double half_width);

}  // namespace dperm::cli
