// SPDX-License-Identifier: Apache-2.0
// A reference population: what rows of a table with such columns typically look like, guessed from the schema alone.
// Forecasts rest on it, guarantees never. Derivation and measurements: docs/forecast.md.
#pragma once

#include <vector>

#include "dperm/methods/task.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::planner {

// Mean squares of encoded rows along their principal directions; the first is that of the mean row.
struct Population {
  std::vector<double> second_moments;
  bool curved = false;  // some columns enter as curves
};

Population population_of(const schema::Encoding& encoding);
// From the numbers of columns and features alone: columns share the features evenly.
Population population_of(const methods::PublicFacts& facts);

}  // namespace dperm::planner
