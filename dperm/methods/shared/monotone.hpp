// SPDX-License-Identifier: Apache-2.0
// Columns whose effect must rise or fall (`monotone` in the schema): released weights are moved to the nearest ones
// that obey. A public map of what was released, so it costs no budget. Note: monotone.md.
#pragma once

#include <span>

#include "dperm/methods/task.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::methods {

bool has_directions(const schema::Schema& schema);

// Throws ArgumentError where the schema asks for directions that a model of this problem cannot keep: networks, rules,
// several classes, a box as feasible set, a column that is also in a pair.
void require_possible_directions(const schema::Encoding& encoding, const Problem& problem);

// The nearest weights, by the Euclidean norm, whose linear columns, curves at their knots and steps rise or fall as the
// schema says. No longer than before, and no farther from any weights that obey.
void impose_directions(const schema::Encoding& encoding, std::span<double> weights);

}  // namespace dperm::methods
