// SPDX-License-Identifier: Apache-2.0
// Reads what rule_text.hpp describes: words, then one clause after the other, each by its first words.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "dperm/core/error.hpp"
#include "dperm/rules/rule_text.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::rules {

namespace {

constexpr double kLargestCoefficient = 1e6;

struct Token {
  std::string text;
  bool in_quotes = false;
};

class Parser {
 public:
  Parser(std::string_view text, const schema::Encoding& encoding) : text_(text), encoding_(encoding) { split(); }

  Hypothesis rule() {
    Hypothesis result;
    if (is("always") || is("never")) {
      result.opposite = is("never");
      ++next_;
    } else if (is("not")) {
      ++next_;
      take("(");
      clauses(result);
      take(")");
      result.opposite = true;
    } else {
      clauses(result);
    }
    if (next_ < tokens_.size()) fail("'and' or the end of the rule");
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found = next_ < tokens_.size() ? fmt::format("'{}'", tokens_[next_].text) : "the end";
    throw ArgumentError(
        fmt::format("cannot read the rule '{}': expected {}, found {}{}", schema::trimmed(text_), expected, found,
                    found == "'or'" ? "; write 'a or b' as not (opposite of a and opposite of b)" : ""));
  }

  void split() {
    constexpr std::string_view kSpace = " \t\r\n", kSigns = "()<>=!,";
    for (std::size_t i = 0; i < text_.size() && text_[i] != '#';) {
      const char c = text_[i];
      if (kSpace.find(c) != std::string_view::npos) {
        ++i;
      } else if (c == '"') {
        i = split_quoted(i + 1);
      } else if (kSigns.find(c) != std::string_view::npos) {
        const bool two = i + 1 < text_.size() && text_[i + 1] == '=' && (c == '<' || c == '>' || c == '!');
        tokens_.push_back({std::string(text_.substr(i, two ? 2 : 1))});
        i += two ? 2 : 1;
      } else {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n\"()<>=!,#", i), text_.size());
        tokens_.push_back({std::string(text_.substr(i, end - i))});
        i = end;
      }
    }
  }

  std::size_t split_quoted(std::size_t i) {
    Token token{"", true};
    for (; i < text_.size() && text_[i] != '"'; ++i) {
      if (text_[i] == '\\' && i + 1 < text_.size()) {
        ++i;
        token.text += text_[i] == 'n' ? '\n' : text_[i] == 'r' ? '\r' : text_[i];
      } else {
        token.text += text_[i];
      }
    }
    next_ = tokens_.size();
    if (i >= text_.size()) fail("a closing double quote");
    next_ = 0;
    tokens_.push_back(std::move(token));
    return i + 1;
  }

  bool is(std::string_view text, std::size_t ahead = 0) const {
    return next_ + ahead < tokens_.size() && !tokens_[next_ + ahead].in_quotes && tokens_[next_ + ahead].text == text;
  }
  void take(std::string_view text) {
    if (!is(text)) fail(fmt::format("'{}'", text));
    ++next_;
  }
  std::optional<double> number_at(std::size_t place) const {
    if (place >= tokens_.size() || tokens_[place].in_quotes) return std::nullopt;
    const double value = schema::parse_number(tokens_[place].text);
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }
  double take_number(const char* what) {
    const auto value = number_at(next_);
    if (!value) fail(what);
    ++next_;
    return *value;
  }

  void clauses(Hypothesis& result) {
    for (clause(result); is("and"); clause(result)) ++next_;
  }

  void clause(Hypothesis& result) {
    if (is("score") && is("(", 1)) return result.parts.push_back(score());
    const bool scaled = number_at(next_).has_value();
    if (is("u", scaled ? 1 : 0) && is("(", scaled ? 2 : 1)) return result.parts.push_back(halfspace());
    if (scaled) return result.parts.push_back(between());
    const std::size_t column = take_column();
    for (std::size_t real = 0; real < encoding_.reals().size(); ++real) {
      if (encoding_.reals()[real].column == column) return result.parts.push_back(one_sided(real));
    }
    result.parts.push_back(level(column));
  }

  std::size_t take_column() {
    std::vector<std::string> known;
    for (std::size_t c = 0; c < encoding_.schema().columns.size(); ++c) {
      const std::string& name = encoding_.schema().columns[c].name;
      if (next_ < tokens_.size() && tokens_[next_].text == name) {
        ++next_;
        return c;
      }
      known.push_back(quoted(name, false));
    }
    fail(fmt::format("a column ({})",
                     known.empty() ? "the schema has none" : fmt::format("{}", fmt::join(known, ", "))));
  }
  std::size_t take_real() {
    const std::size_t place = next_, column = take_column();
    for (std::size_t real = 0; real < encoding_.reals().size(); ++real) {
      if (encoding_.reals()[real].column == column) return real;
    }
    next_ = place;
    fail("a real or integer column");
  }

  // The first q that is at least (after: above) the value.
  std::int32_t first_q(std::size_t real, double value, bool after) const {
    const schema::Column& column = encoding_.schema().columns[encoding_.reals()[real].column];
    if (value < column.lower) return -schema::kRealOne;
    if (value > column.upper) return schema::kRealOne + 1;
    return encoding_.encode_real(real, value) + (after ? 1 : 0);
  }

  RangeRule one_sided(std::size_t real) {
    const bool from = is(">=") || is(">"), after = is(">") || is("<=");
    if (!from && !is("<") && !is("<=")) fail("<, <=, > or >= after a real or integer column");
    ++next_;
    const std::int32_t limit = first_q(real, take_number("a number"), after);
    if (from) return {real, limit, schema::kRealOne + 1};
    return {real, -schema::kRealOne, limit};
  }

  RangeRule between() {
    const double lower = take_number("a number");
    const bool after = is("<");
    if (!after && !is("<=")) fail("< or <=");
    ++next_;
    const std::size_t real = take_real();
    const bool included = is("<=");
    if (!included && !is("<")) fail("< or <=");
    ++next_;
    const double upper = take_number("a number");
    return {real, first_q(real, lower, after), first_q(real, upper, included)};
  }

  LevelRule level(std::size_t column) {
    std::size_t category = 0;
    while (encoding_.categories()[category].column != column) ++category;
    const bool negated = is("!=");
    if (!negated && !is("=")) fail("= or != after a category or boolean column");
    ++next_;
    const std::uint32_t levels = encoding_.categories()[category].levels;
    std::string given;
    const bool special = is("(") && is(")", 2);
    if (special) given = fmt::format("({})", tokens_[next_ + 1].text);
    if (!special && next_ < tokens_.size()) given = quoted(tokens_[next_].text, true);
    std::vector<std::string> known;
    for (std::uint32_t code = 0; code <= levels; ++code) {
      known.push_back(level_text(encoding_, category, code));
      if (known.back() != given) continue;
      next_ += special ? 3 : 1;
      return {category, code, negated};
    }
    fail(fmt::format("a level ({})", fmt::join(known, ", ")));
  }

  HalfspaceRule halfspace() {
    HalfspaceRule rule{std::vector<std::int32_t>(encoding_.reals().size(), 0), 0};
    for (int sign = 1; sign != 0;) {
      double coefficient = sign;
      if (number_at(next_)) coefficient *= take_number("an integer");
      if (coefficient != std::floor(coefficient) || std::abs(coefficient) > kLargestCoefficient) {
        --next_;
        fail("an integer of at most a million");
      }
      take("u");
      take("(");
      rule.coefficients[take_real()] = static_cast<std::int32_t>(coefficient);
      take(")");
      sign = is("+") ? 1 : is("-") ? -1 : 0;
      if (sign != 0) ++next_;
    }
    take(">=");
    rule.cut = lattice_cut(take_number("a number"));
    return rule;
  }

  LinearRule score() {
    next_ += 2;
    std::vector<double> weights{take_number("a number")};
    while (is(",")) {
      ++next_;
      weights.push_back(take_number("a number"));
    }
    take(")");
    take(">");
    if (take_number("0") != 0) {
      --next_;
      fail("0");
    }
    return linear_rule(encoding_, weights);
  }

  std::string_view text_;
  const schema::Encoding& encoding_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

}  // namespace

Hypothesis parse_rule(std::string_view text, const schema::Encoding& encoding) { return Parser(text, encoding).rule(); }

}  // namespace dperm::rules
