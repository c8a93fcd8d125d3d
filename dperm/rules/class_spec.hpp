// SPDX-License-Identifier: Apache-2.0
// A finite class by name and public parameters, with columns named as in the schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/rules/finite_class.hpp"

namespace dperm::rules {

struct ClassSpec {
  std::string name;                  // thresholds, intervals, stumps, conjunctions, rectangles, halfspaces or rules
  std::vector<std::string> columns;  // thresholds, intervals: one real column; rectangles: two; others: none
  std::optional<std::size_t> parts =
      {};                               // thresholds (else kLatticeParts), intervals, rectangles, halfspaces (else 32)
  std::size_t literals = 2;             // conjunctions: at most this many
  std::int32_t coefficients = 1;        // halfspaces: largest integer coefficient
  std::vector<std::string> rules = {};  // rules: each as rule_text.hpp writes it
};

// "stumps", "thresholds(age)", "rectangles(age, hours-per-week, parts=32)": a name, then columns and parameters by name
// in parentheses; a column whose name holds a comma, an equals sign or a parenthesis is written in double quotes.
// A list is the line "rules" and then one rule per line. Throws ArgumentError saying what cannot be read.
ClassSpec parse_class(std::string_view text);
bool is_class_name(std::string_view name);

// Throws ArgumentError naming what is wrong and what there is.
std::unique_ptr<FiniteClass> make_class(const schema::Encoding& encoding, const ClassSpec& spec);

}  // namespace dperm::rules
