// SPDX-License-Identifier: Apache-2.0
// Predicted and proven risk of every method against rows and against epsilon, as an SVG picture. Public facts only.
#pragma once

#include <string>

#include "dperm/plan/compare.hpp"

namespace dperm::plan {

// Two panels around the question: rows from a tenth to ten times, epsilon likewise; log scales; predictions in full,
// proven bounds dashed, the floor of the theory dotted. Throws ArgumentError for an invalid question.
std::string plan_picture(const methods::Question& question, const GivenOptions& given, const Population& population);

}  // namespace dperm::plan
