// SPDX-License-Identifier: Apache-2.0
// From the table of an options struct to everything that needs its words: checking a struct, reading it from text,
// writing it as text, listing it for help. Text exists only at the edges: command line, model file, grids.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/fields.hpp"
#include "dperm/core/words.hpp"

namespace dperm::methods {

// Options by name, as people write them.
using Texts = std::map<std::string, std::string>;

// One option as help shows it.
struct OptionSpec {
  std::string_view name;      // "steps"
  std::string default_value;  // "auto" where the algorithm chooses from public facts
  std::string_view help;
  std::vector<std::string_view> choices = {};  // not empty: the value is one of these words
};

// A row of a table. Numbers lie in [lower, upper]; enumerations have their words.
template <class Options, class Value>
struct OptionField {
  std::string_view name;
  Value Options::* member;
  std::string_view help;
  double lower = 0, upper = 0;
};

template <class Options, class Value>
constexpr OptionField<Options, Value> option(std::string_view name, Value Options::* member, std::string_view help,
                                             double lower = 0, double upper = 0) {
  return {name, member, help, lower, upper};
}

// Specialised in option_tables.hpp:
//   algorithm   its own name: "output-certified"
//   method      the word of the command line, which several algorithms may share: "output-perturbation"
//   summary     one line of help
//   fields      a tuple of OptionField, one per member
template <class Options>
struct OptionTable;

namespace detail {

inline constexpr std::string_view kAuto = "auto";

template <class Value>
struct IsOptional : std::false_type {};
template <class Value>
struct IsOptional<std::optional<Value>> : std::true_type {
  using Inside = Value;
};

inline double parse_number(std::string_view name, std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) {
    throw ArgumentError(name, fmt::format("must be a number or 'auto'; got '{}'", text));
  }
  return value;
}

template <HasWords Enum>
std::vector<std::string_view> choices(bool with_auto) {
  std::vector<std::string_view> result;
  if (with_auto) result.push_back(kAuto);
  for (const auto& each : Words<Enum>::table) result.push_back(each.second);
  return result;
}

template <class Value>
void check_value(std::string_view name, const Value& value, double lower, double upper) {
  if constexpr (IsOptional<Value>::value) {
    if (value) check_value(name, *value, lower, upper);
  } else if constexpr (std::is_arithmetic_v<Value>) {
    require_in_closed_range(name, static_cast<double>(value), lower, upper);
  }
}

template <class Value>
Value parse_value(std::string_view name, std::string_view text, double lower, double upper) {
  if constexpr (IsOptional<Value>::value) {
    if (text == kAuto) return std::nullopt;
    if constexpr (HasWords<typename IsOptional<Value>::Inside>) {
      using Enum = typename IsOptional<Value>::Inside;
      if (const auto found = from_word<Enum>(text)) return found;
      throw ArgumentError(name, fmt::format("must be one of {}; got '{}'", fmt::join(choices<Enum>(true), ", "), text));
    } else {
      return parse_value<typename IsOptional<Value>::Inside>(name, text, lower, upper);
    }
  } else if constexpr (HasWords<Value>) {
    if (const auto found = from_word<Value>(text)) return *found;
    throw ArgumentError(name, fmt::format("must be one of {}; got '{}'", fmt::join(choices<Value>(false), ", "), text));
  } else {
    const double number = parse_number(name, text);
    require_in_closed_range(name, number, lower, upper);
    if constexpr (std::integral<Value>) {
      if (number != std::floor(number)) throw ArgumentError(name, fmt::format("must be an integer; got {}", number));
    }
    return static_cast<Value>(number);
  }
}

template <class Value>
std::string text_of(const Value& value) {
  if constexpr (IsOptional<Value>::value) {
    return value ? text_of(*value) : std::string(kAuto);
  } else if constexpr (HasWords<Value>) {
    return std::string(word(value));
  } else {
    return fmt::format("{}", value);
  }
}

template <class Value>
std::vector<std::string_view> choices_of() {
  if constexpr (IsOptional<Value>::value) {
    using Inside = typename IsOptional<Value>::Inside;
    if constexpr (HasWords<Inside>) return choices<Inside>(true);
  } else if constexpr (HasWords<Value>) {
    return choices<Value>(false);
  }
  return {};
}

}  // namespace detail

template <class Options, class Visit>
void for_each_option(Visit&& visit) {
  static_assert(std::tuple_size_v<decltype(OptionTable<Options>::fields)> + OptionTable<Options>::kNotText ==
                    dperm::detail::aggregate_size<Options>(),
                "the table must have a row for every member of the struct");
  std::apply([&](const auto&... row) { (visit(row), ...); }, OptionTable<Options>::fields);
}

// Throws ArgumentError naming the option that is out of range.
template <class Options>
void check_options(const Options& options) {
  for_each_option<Options>(
      [&](const auto& row) { detail::check_value(row.name, options.*(row.member), row.lower, row.upper); });
}

template <class Options>
std::vector<OptionSpec> option_specs() {
  std::vector<OptionSpec> result;
  const Options defaults;
  for_each_option<Options>([&]<class Value>(const OptionField<Options, Value>& row) {
    result.push_back({row.name, detail::text_of(defaults.*(row.member)), row.help, detail::choices_of<Value>()});
  });
  return result;
}

// Given texts over the defaults. Throws ArgumentError for an unknown option, a text that does not parse and a value out
// of range.
template <class Options>
Options options_from(const Texts& given) {
  Options options;
  std::size_t known = 0;
  for_each_option<Options>([&]<class Value>(const OptionField<Options, Value>& row) {
    const auto found = given.find(std::string(row.name));
    if (found == given.end()) return;
    ++known;
    options.*(row.member) = detail::parse_value<Value>(row.name, found->second, row.lower, row.upper);
  });
  if (known == given.size()) return options;
  std::vector<std::string> names;
  for (const OptionSpec& spec : option_specs<Options>()) names.push_back(fmt::format("`{}`", spec.name));
  for (const auto& [name, text] : given) {
    if (std::find(names.begin(), names.end(), "`" + name + "`") != names.end()) continue;
    throw ArgumentError(fmt::format("{} has no option `{}`; it has: {}", OptionTable<Options>::algorithm, name,
                                    fmt::join(names, ", ")));
  }
  return options;
}

template <class Options>
Texts texts_of(const Options& options) {
  Texts result;
  for_each_option<Options>(
      [&](const auto& row) { result[std::string(row.name)] = detail::text_of(options.*(row.member)); });
  return result;
}

}  // namespace dperm::methods
