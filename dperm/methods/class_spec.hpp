// SPDX-License-Identifier: Apache-2.0
// A finite class by name and public parameters, with columns named as in the schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dperm/methods/finite_class.hpp"

namespace dperm::methods {

struct ClassSpec {
  std::string name;                  // thresholds, intervals, stumps, conjunctions, rectangles or halfspaces
  std::vector<std::string> columns;  // thresholds, intervals: one real column; rectangles: two; others: none
  std::size_t parts = 32;            // intervals, rectangles, halfspaces
  std::size_t literals = 2;          // conjunctions: at most so many
  std::int32_t coefficients = 1;     // halfspaces: largest integer coefficient
};

// Throws ArgumentError naming what is wrong and what there is.
std::unique_ptr<FiniteClass> make_class(const schema::Encoding& encoding, const ClassSpec& spec);

}  // namespace dperm::methods
