// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/rules/hypothesis.hpp"

#include <algorithm>

#include "dperm/schema/encoding.hpp"

namespace dperm::rules {

namespace {

struct Holds {
  const EncodedRow& row;

  bool operator()(const RangeRule& rule) const {
    const std::int32_t q = row.reals[rule.real];
    return rule.lower <= q && q < rule.upper;
  }
  bool operator()(const LevelRule& rule) const { return (row.codes[rule.category] == rule.code) != rule.negated; }
  bool operator()(const HalfspaceRule& rule) const {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < rule.coefficients.size(); ++j) {
      sum += std::int64_t{rule.coefficients[j]} * row.reals[j];
    }
    return sum >= rule.cut;
  }
  bool operator()(const LinearRule& rule) const {
    double score = rule.intercept;
    for (std::size_t j = 0; j < rule.reals.size(); ++j) score += rule.reals[j] * row.reals[j] / schema::kRealOne;
    for (std::size_t c = 0; c < rule.levels.size(); ++c) {
      if (row.codes[c] < rule.levels[c].size()) score += rule.levels[c][row.codes[c]];
    }
    return score > 0;
  }
};

}  // namespace

bool predict(const Hypothesis& hypothesis, const EncodedRow& row) {
  const bool all = std::all_of(hypothesis.parts.begin(), hypothesis.parts.end(),
                               [&](const auto& part) { return std::visit(Holds{row}, part); });
  return all != hypothesis.opposite;
}

}  // namespace dperm::rules
