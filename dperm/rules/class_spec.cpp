// SPDX-License-Identifier: Apache-2.0
#include "dperm/rules/class_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/rules/rule_text.hpp"

namespace dperm::rules {

namespace {

constexpr std::string_view kListStart = "rules\n";
constexpr std::size_t kDefaultParts = 32;

std::size_t real_named(const schema::Encoding& encoding, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t real = 0; real < encoding.reals().size(); ++real) {
    known.push_back(encoding.schema().columns[encoding.reals()[real].column].name);
    if (known.back() == name) return real;
  }
  const std::string meant = did_you_mean(name, {known.begin(), known.end()});
  throw ArgumentError(
      fmt::format("there is no real or integer column '{}'{} Choose {}", name, meant.empty() ? "." : meant,
                  known.empty() ? "another class, the schema has none" : fmt::format("{}", fmt::join(known, ", "))));
}

void require_columns(const ClassSpec& spec, std::size_t wanted) {
  if (spec.columns.size() == wanted) return;
  const std::string_view example = wanted == 0 ? "" : wanted == 1 ? "(age)" : "(age, hours)";
  throw ArgumentError(fmt::format("class {0} takes {1} column name{2}; got {3}. Write for example {0}{4}", spec.name,
                                  wanted, wanted == 1 ? "" : "s", spec.columns.size(), example));
}

[[noreturn]] void unreadable(std::string_view text, std::string_view why) {
  throw ArgumentError(
      fmt::format("cannot read the class '{}': {}; write for example stumps, thresholds(age) or "
                  "rectangles(age, hours, parts=32)",
                  text, why));
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

// Splits at commas outside double quotes.
std::vector<std::string> arguments_of(std::string_view inside) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (const char c : inside) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  for (std::string& each : result) each = trimmed(each);
  return result;
}

struct ClassWords {
  std::string_view name;
  std::vector<std::string_view> parameters;
};
const std::array kClasses = {ClassWords{"thresholds", {"parts"}},
                             ClassWords{"intervals", {"parts"}},
                             ClassWords{"stumps", {}},
                             ClassWords{"conjunctions", {"literals"}},
                             ClassWords{"rectangles", {"parts"}},
                             ClassWords{"halfspaces", {"coefficients", "parts"}}};

const ClassWords* words_of(std::string_view name) {
  const auto found =
      std::find_if(kClasses.begin(), kClasses.end(), [&](const auto& each) { return each.name == name; });
  return found == kClasses.end() ? nullptr : &*found;
}

void set_parameter(ClassSpec& spec, std::string_view text, const std::string& name, const std::string& value) {
  const ClassWords* words = words_of(spec.name);
  if (words != nullptr && std::count(words->parameters.begin(), words->parameters.end(), name) == 0) {
    unreadable(text,
               fmt::format("there is no parameter '{}'; {} takes {}", name, spec.name,
                           words->parameters.empty() ? "none" : fmt::format("{}", fmt::join(words->parameters, ", "))));
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number > kMostThresholdParts) {
    unreadable(text, fmt::format("{} must be an integer, at most {}", name, kMostThresholdParts));
  }
  if (name == "parts") spec.parts = number;
  if (name == "literals") spec.literals = number;
  if (name == "coefficients") spec.coefficients = static_cast<std::int32_t>(std::min<std::uint64_t>(number, 1u << 30));
}

}  // namespace

bool is_class_name(std::string_view name) { return words_of(name) != nullptr; }

ClassSpec parse_class(std::string_view given) {
  ClassSpec spec;
  const std::string text = given.starts_with(kListStart) ? std::string(given) : trimmed(given);
  if (text.starts_with(kListStart)) {
    spec.name = "rules";
    for (std::size_t begin = kListStart.size(); begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      spec.rules.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return spec;
  }
  const std::size_t open = text.find('(');
  spec.name = trimmed(text.substr(0, open));
  if (open == std::string::npos) return spec;
  if (text.back() != ')') unreadable(text, "the closing parenthesis is missing");
  std::set<std::string> seen;
  for (const std::string& argument : arguments_of(std::string_view(text).substr(open + 1, text.size() - open - 2))) {
    if (argument.empty()) unreadable(text, "an argument is empty");
    const std::size_t equals = argument.find('=');
    if (argument.front() == '"') {
      if (argument.size() < 3 || argument.back() != '"') unreadable(text, "a quoted column name is not closed");
      spec.columns.push_back(argument.substr(1, argument.size() - 2));
    } else if (equals == std::string::npos) {
      spec.columns.push_back(argument);
    } else {
      const std::string name = trimmed(argument.substr(0, equals));
      if (!seen.insert(name).second) unreadable(text, fmt::format("it says {} twice", name));
      set_parameter(spec, text, name, trimmed(argument.substr(equals + 1)));
    }
  }
  return spec;
}

std::unique_ptr<FiniteClass> make_class(const schema::Encoding& encoding, const ClassSpec& spec) {
  const std::size_t parts = spec.parts.value_or(kDefaultParts);
  if (spec.name == "thresholds") {
    require_columns(spec, 1);
    return thresholds(encoding, real_named(encoding, spec.columns[0]), spec.parts.value_or(kLatticeParts));
  }
  if (spec.name == "intervals") {
    require_columns(spec, 1);
    return intervals(encoding, real_named(encoding, spec.columns[0]), parts);
  }
  if (spec.name == "rectangles") {
    require_columns(spec, 2);
    return rectangles(encoding, real_named(encoding, spec.columns[0]), real_named(encoding, spec.columns[1]), parts);
  }
  if (spec.name == "stumps") {
    require_columns(spec, 0);
    return stumps(encoding);
  }
  if (spec.name == "conjunctions") {
    require_columns(spec, 0);
    return conjunctions(encoding, spec.literals);
  }
  if (spec.name == "halfspaces") {
    require_columns(spec, 0);
    return halfspaces(encoding, spec.coefficients, parts);
  }
  if (spec.name == "rules") {
    std::vector<Hypothesis> rules;
    for (const std::string& rule : spec.rules) rules.push_back(parse_rule(rule, encoding));
    return listed(std::move(rules));
  }
  throw ArgumentError(fmt::format(
      "there is no class '{}'; choose thresholds, intervals, stumps, conjunctions, rectangles or halfspaces, "
      "or a file of rules",
      spec.name));
}

}  // namespace dperm::rules
