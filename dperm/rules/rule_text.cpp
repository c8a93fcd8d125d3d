// SPDX-License-Identifier: Apache-2.0
#include "dperm/rules/rule_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::rules {

namespace {

constexpr int kExactDigits = 17;

const schema::Column& real_column(const schema::Encoding& encoding, std::size_t real) {
  return encoding.schema().columns[encoding.reals()[real].column];
}

std::string real_name(const schema::Encoding& encoding, std::size_t real) {
  return quoted(real_column(encoding, real).name, false);
}

// The shortest decimal that is encoded to q; nothing where the bounds are so close that no number is.
std::optional<std::string> limit_text(const schema::Encoding& encoding, std::size_t real, std::int32_t q) {
  const schema::Column& column = real_column(encoding, real);
  const double u = static_cast<double>(q) / schema::kRealOne;
  const double feature = encoding.real_center(real) + encoding.real_half_width(real) * u;
  const double value = column.scale == schema::Scale::log ? column.lower + std::expm1(feature) : feature;
  for (int digits = 1; digits <= kExactDigits; ++digits) {
    const double rounded = schema::parse_number(fmt::format("{:.{}g}", value, digits));
    if (rounded >= column.lower && rounded <= column.upper && encoding.encode_real(real, rounded) == q) {
      return schema::number_text(rounded);
    }
  }
  return std::nullopt;
}

// The shortest decimal that lattice_cut turns into the cut.
std::string cut_text(std::int64_t cut) {
  const double middle = (static_cast<double>(cut) - 0.5) / schema::kRealOne;
  for (int digits = 1; digits < kExactDigits; ++digits) {
    const double rounded = schema::parse_number(fmt::format("{:.{}g}", middle, digits));
    if (lattice_cut(rounded) == cut) return schema::number_text(rounded);
  }
  // Above 2^52 the middle itself is rounded: the number that gives this cut is close to it.
  constexpr int kClose = 3;
  double near = middle;
  for (int step = 0; step < kClose; ++step) near = std::nextafter(near, -HUGE_VAL);
  for (int step = 0; step < 2 * kClose && lattice_cut(near) != cut; ++step) near = std::nextafter(near, HUGE_VAL);
  return schema::number_text(near);
}

std::string halfspace_text(const HalfspaceRule& rule, const schema::Encoding& encoding) {
  std::string sum;
  for (std::size_t j = 0; j < rule.coefficients.size(); ++j) {
    const std::int32_t each = rule.coefficients[j];
    if (each == 0) continue;
    if (!sum.empty()) sum += each < 0 ? " - " : " + ";
    const std::int32_t shown = sum.empty() ? each : std::abs(each);
    sum += fmt::format("{}u({})", shown == 1 ? "" : fmt::format("{} ", shown), real_name(encoding, j));
  }
  return fmt::format("{} >= {}", sum, cut_text(rule.cut));
}

enum class Truth { always, never, depends };

struct TruthOf {
  Truth operator()(const RangeRule& rule) const {
    const std::int32_t lower = std::max(rule.lower, -schema::kRealOne), upper = std::min(rule.upper, kEnd);
    if (lower >= upper) return Truth::never;
    return lower == -schema::kRealOne && upper == kEnd ? Truth::always : Truth::depends;
  }
  Truth operator()(const LevelRule&) const { return Truth::depends; }
  Truth operator()(const HalfspaceRule& rule) const {
    if (std::any_of(rule.coefficients.begin(), rule.coefficients.end(), [](auto each) { return each != 0; })) {
      return Truth::depends;
    }
    return rule.cut <= 0 ? Truth::always : Truth::never;
  }
  Truth operator()(const LinearRule&) const { return Truth::depends; }

 private:
  static constexpr std::int32_t kEnd = schema::kRealOne + 1;
};

// A part that depends on the row.
struct Describe {
  const schema::Encoding& encoding;
  bool opposite;  // only for parts that can_turn

  std::string operator()(const RangeRule& rule) const {
    const std::string name = real_name(encoding, rule.real);
    const bool from = rule.lower > -schema::kRealOne, to = rule.upper <= schema::kRealOne;
    const auto lower = from ? limit_text(encoding, rule.real, rule.lower) : std::nullopt;
    const auto upper = to ? limit_text(encoding, rule.real, rule.upper) : std::nullopt;
    if ((from && !lower) || (to && !upper)) return by_lattice(rule);
    if (from && to) return fmt::format("{} <= {} < {}", *lower, name, *upper);
    return fmt::format("{} {} {}", name, from != opposite ? ">=" : "<", from ? *lower : *upper);
  }
  std::string operator()(const LevelRule& rule) const {
    const std::size_t column = encoding.categories()[rule.category].column;
    return fmt::format("{} {} {}", quoted(encoding.schema().columns[column].name, false),
                       rule.negated != opposite ? "!=" : "=", level_text(encoding, rule.category, rule.code));
  }
  std::string operator()(const HalfspaceRule& rule) const { return halfspace_text(rule, encoding); }
  std::string operator()(const LinearRule& rule) const {
    std::vector<std::string> weights(encoding.dimension());
    weights[0] = schema::number_text(rule.intercept);
    for (std::size_t j = 0; j < rule.reals.size(); ++j) {
      weights[encoding.reals()[j].weight] = schema::number_text(rule.reals[j]);
    }
    for (std::size_t c = 0; c < rule.levels.size(); ++c) {
      for (std::size_t code = 0; code < rule.levels[c].size(); ++code) {
        weights[encoding.categories()[c].first_weight + code] = schema::number_text(rule.levels[c][code]);
      }
    }
    return fmt::format("score({}) > 0", fmt::join(weights, ", "));
  }

 private:
  std::string by_lattice(const RangeRule& rule) const {
    HalfspaceRule half{std::vector<std::int32_t>(encoding.reals().size(), 0), rule.lower};
    std::vector<std::string> texts;
    half.coefficients[rule.real] = 1;
    if (rule.lower > -schema::kRealOne) texts.push_back(halfspace_text(half, encoding));
    half.coefficients[rule.real] = -1;
    half.cut = 1 - std::int64_t{rule.upper};  // q < upper
    if (rule.upper <= schema::kRealOne) texts.push_back(halfspace_text(half, encoding));
    const std::string joined = fmt::format("{}", fmt::join(texts, " and "));
    return opposite ? fmt::format("not ({})", joined) : joined;
  }
};

// Whether the opposite can be written without "not".
struct CanTurn {
  bool operator()(const RangeRule& rule) const {
    return rule.lower <= -schema::kRealOne || rule.upper > schema::kRealOne;
  }
  bool operator()(const LevelRule&) const { return true; }
  bool operator()(const HalfspaceRule&) const { return false; }
  bool operator()(const LinearRule&) const { return false; }
};

}  // namespace

std::string quoted(std::string_view word, bool may_be_number) {
  constexpr std::array kKeywords = {"and", "not", "always", "never", "u", "score", "+", "-"};
  const bool plain = !word.empty() && word.find_first_of(" \t\r\n\"\\()<>=!,#") == std::string_view::npos &&
                     std::find(kKeywords.begin(), kKeywords.end(), word) == kKeywords.end() &&
                     (may_be_number || std::isnan(schema::parse_number(word)));
  if (plain) return std::string(word);
  std::string text = "\"";
  for (const char c : word) {
    if (c == '\n' || c == '\r') {
      text += c == '\n' ? "\\n" : "\\r";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

std::int64_t lattice_cut(double value) {
  // No sum of columns comes near 2^60.
  return static_cast<std::int64_t>(std::clamp(std::ceil(value * schema::kRealOne), -0x1p60, 0x1p60));
}

std::string level_text(const schema::Encoding& encoding, std::size_t category, std::uint32_t code) {
  const schema::CategoryCode& levels = encoding.categories()[category];
  const schema::Column& column = encoding.schema().columns[levels.column];
  if (code >= levels.levels) return "(none)";
  if (column.kind == schema::ColumnKind::boolean) return code == 0 ? "true" : "(missing)";
  if (code < column.values.size()) return quoted(column.values[code], true);
  return column.other && code == column.values.size() ? "(other)" : "(missing)";
}

LinearRule linear_rule(const schema::Encoding& encoding, std::span<const double> weights) {
  require(weights.size() == encoding.dimension(),
          fmt::format("a score takes {} weights, the intercept first; got {}", encoding.dimension(), weights.size()));
  require(std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }),
          "the weights of a score must be finite");
  LinearRule rule{weights[0], {}, {}};
  for (const schema::RealCode& real : encoding.reals()) rule.reals.push_back(weights[real.weight]);
  for (const schema::CategoryCode& category : encoding.categories()) {
    const auto levels = weights.subspan(category.first_weight, category.levels);
    rule.levels.emplace_back(levels.begin(), levels.end());
  }
  return rule;
}

std::string describe(const Hypothesis& rule, const schema::Encoding& encoding) {
  std::vector<const Hypothesis::Part*> parts;
  for (const auto& part : rule.parts) {
    const Truth truth = std::visit(TruthOf{}, part);
    if (truth == Truth::never) return rule.opposite ? "always" : "never";
    if (truth == Truth::depends) parts.push_back(&part);
  }
  if (parts.empty()) return rule.opposite ? "never" : "always";
  if (rule.opposite && parts.size() == 1 && std::visit(CanTurn{}, *parts[0])) {
    return std::visit(Describe{encoding, true}, *parts[0]);
  }
  std::vector<std::string> texts;
  for (const auto* part : parts) texts.push_back(std::visit(Describe{encoding, false}, *part));
  const std::string joined = fmt::format("{}", fmt::join(texts, " and "));
  return rule.opposite ? fmt::format("not ({})", joined) : joined;
}

}  // namespace dperm::rules
