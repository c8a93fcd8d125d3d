// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/hypothesis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dperm::methods {

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
};

struct Describe {
  const schema::Encoding& encoding;

  // The value in the table's units half a step below q: whatever encodes to q or more is above it.
  std::string limit(std::size_t real, std::int32_t q) const {
    const schema::Column& column = encoding.schema().columns[encoding.reals()[real].column];
    const double u = (static_cast<double>(q) - 0.5) / schema::kRealOne;
    const double value = encoding.real_center(real) + encoding.real_half_width(real) * u;
    return fmt::format("{:.6g}", column.scale == schema::Scale::log ? column.lower + std::expm1(value) : value);
  }
  std::string operator()(const RangeRule& rule) const {
    const std::string& name = encoding.schema().columns[encoding.reals()[rule.real].column].name;
    const bool from_start = rule.lower <= -schema::kRealOne, to_end = rule.upper > schema::kRealOne;
    if (rule.lower >= rule.upper) return "never";
    if (from_start && to_end) return "always";
    if (to_end) return fmt::format("{} >= {}", name, limit(rule.real, rule.lower));
    if (from_start) return fmt::format("{} < {}", name, limit(rule.real, rule.upper));
    return fmt::format("{} <= {} < {}", limit(rule.real, rule.lower), name, limit(rule.real, rule.upper));
  }
  std::string operator()(const LevelRule& rule) const {
    const schema::CategoryCode& category = encoding.categories()[rule.category];
    const std::string& name = encoding.schema().columns[category.column].name;
    if (rule.code >= category.levels) return fmt::format("{} {}", name, rule.negated ? "has a level" : "has no level");
    const std::string weight = encoding.weight_names()[category.first_weight + rule.code];
    return rule.negated ? fmt::format("not {}", weight) : weight;
  }
  std::string operator()(const HalfspaceRule& rule) const {
    std::string sum;
    for (std::size_t j = 0; j < rule.coefficients.size(); ++j) {
      if (rule.coefficients[j] == 0) continue;
      const std::string& name = encoding.schema().columns[encoding.reals()[j].column].name;
      sum += fmt::format("{}{} u({})", sum.empty() ? "" : " + ", rule.coefficients[j], name);
    }
    return fmt::format("{} >= {:.6g}", sum, static_cast<double>(rule.cut) / schema::kRealOne);
  }
};

}  // namespace

bool predict(const Hypothesis& hypothesis, const EncodedRow& row) {
  const bool all = std::all_of(hypothesis.parts.begin(), hypothesis.parts.end(),
                               [&](const auto& part) { return std::visit(Holds{row}, part); });
  return all != hypothesis.opposite;
}

std::string describe(const Hypothesis& hypothesis, const schema::Encoding& encoding) {
  if (hypothesis.parts.empty()) return hypothesis.opposite ? "never" : "always";
  std::vector<std::string> texts;
  for (const auto& part : hypothesis.parts) texts.push_back(std::visit(Describe{encoding}, part));
  const std::string joined = fmt::format("{}", fmt::join(texts, " and "));
  return hypothesis.opposite ? fmt::format("not ({})", joined) : joined;
}

}  // namespace dperm::methods
