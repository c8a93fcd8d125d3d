// SPDX-License-Identifier: Apache-2.0
// Rules as people write them, in the table's own units:
//
//   age >= 37.25 and workclass = Private        20 <= age < 40        city != "New York"        city = (missing)
//   not (age < 30 and smoker = true)            always                never
//   u(age) - 2 u(hours) >= 0.25                 score(0.5, -1.25, 3) > 0
//
// u(column) is a real column scaled to [-1, 1] by its bounds; score takes the weights of a linear model, the intercept
// first. The levels (other), (missing) and (none: no weight at all) are those of the encoding.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dperm/engine/rules/hypothesis.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::rules {

// One line. parse_rule(describe(rule)) says the same as the rule about every encoded row.
std::string describe(const Hypothesis& rule, const schema::Encoding& encoding);

// A limit means the lattice point its value is encoded to; one outside the bounds means always or never. Text after #
// is a comment. Throws ArgumentError quoting the rule, what was found and what was expected.
Hypothesis parse_rule(std::string_view text, const schema::Encoding& encoding);

// Yes where the linear model's score is above 0. `weights` as the encoding orders them.
LinearRule linear_rule(const schema::Encoding& encoding, std::span<const double> weights);

// The level as the language writes it: a value, (other), (missing) or (none).
std::string level_text(const schema::Encoding& encoding, std::size_t category, std::uint32_t code);

// A word of the language: as it is where that is unambiguous, else in double quotes.
std::string quoted(std::string_view word, bool may_be_number);

// The smallest integer a with a / 32767 >= value: what a limit on sums of u() means.
std::int64_t lattice_cut(double value);

}  // namespace dperm::rules
