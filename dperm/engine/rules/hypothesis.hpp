// SPDX-License-Identifier: Apache-2.0
// A rule that says yes or no to a row: what private learning from a finite class chooses. Rules speak of encoded
// integers; dperm/rules/rule_text.hpp writes and reads them in the table's own units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace dperm::rules {

// A row as its tile holds it.
struct EncodedRow {
  std::span<const std::int16_t> reals;
  std::span<const std::uint32_t> codes;
};

// lower <= q < upper, q in [-32767, 32767]; the limits run from -32767 to 32768.
struct RangeRule {
  std::size_t real;
  std::int32_t lower, upper;
  bool operator==(const RangeRule&) const = default;
};

// The row has (or, negated, has not) this category.
struct LevelRule {
  std::size_t category;
  std::uint32_t code;
  bool negated = false;
  bool operator==(const LevelRule&) const = default;
};

// sum_j coefficients[j] q_j >= cut.
struct HalfspaceRule {
  std::vector<std::int32_t> coefficients;  // one per real column
  std::int64_t cut;
  bool operator==(const HalfspaceRule&) const = default;
};

// Intercept plus one weight per unit of each real column (q / 32767) plus the weight of each category's level is above
// 0.
struct LinearRule {
  double intercept;
  std::vector<double> reals;
  std::vector<std::vector<double>> levels;  // of each category
  bool operator==(const LinearRule&) const = default;
};

// Yes where every part holds (a rule without parts always holds), or its opposite.
struct Hypothesis {
  using Part = std::variant<RangeRule, LevelRule, HalfspaceRule, LinearRule>;
  std::vector<Part> parts;
  bool opposite = false;
  bool operator==(const Hypothesis&) const = default;
};

bool predict(const Hypothesis& hypothesis, const EncodedRow& row);

}  // namespace dperm::rules
