// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/toml_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/dates.hpp"

namespace dperm::schema {

namespace {

[[noreturn]] void fail_at(std::string_view origin, const toml::source_region& source, std::string_view where,
                          std::string_view problem) {
  if (source.begin.line == 0) throw DataError(fmt::format("{}: {}: {}", origin, where, problem));
  throw DataError(fmt::format("{}:{}: {}: {}", origin, source.begin.line, where, problem));
}

}  // namespace

void TomlTable::fail(std::string_view problem) const { fail_at(origin_, table_.source(), where_, problem); }

void TomlTable::fail(std::string_view key, std::string_view problem) const {
  const toml::node* node = find(key);
  if (node == nullptr) fail(problem);
  fail_at(origin_, node->source(), where_, problem);
}

void TomlTable::only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, node] : table_) {
    if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
    fail_at(origin_, key.source(), where_,
            fmt::format("unknown key '{}'; did you mean '{}'? Known here: {}", key.str(),
                        nearest(key.str(), {keys.begin(), keys.end()}), fmt::join(keys, ", ")));
  }
}

const toml::node* TomlTable::find(std::string_view key) const { return table_.get(key); }

bool TomlTable::unfilled(std::string_view key) const {
  const toml::node* node = find(key);
  const auto* text = node == nullptr ? nullptr : node->as_string();
  return text != nullptr && (trimmed(text->get()) == kFillIn || trimmed(text->get()).empty());
}

std::optional<std::string> TomlTable::text(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_string()) return value->get();
  fail(key, fmt::format("{} must be a text in quotes", key));
}

std::optional<double> TomlTable::number(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_floating_point()) return value->get();
  if (const auto* value = node->as_integer()) return static_cast<double>(value->get());
  fail(key, fmt::format("{} must be a number without quotes", key));
}

std::optional<std::int64_t> TomlTable::integer(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_integer()) return value->get();
  fail(key, fmt::format("{} must be an integer without quotes", key));
}

std::optional<bool> TomlTable::boolean(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as_boolean()) return value->get();
  fail(key, fmt::format("{} must be true or false, without quotes", key));
}

std::string TomlTable::element_text(std::string_view key, const toml::node& node) const {
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* value = node.as_integer()) return fmt::format("{}", value->get());
  if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
  fail_at(origin_, node.source(), where_,
          fmt::format("{} must be a list of texts in quotes, spelled as in the file", key));
}

std::optional<std::vector<std::string>> TomlTable::texts(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto* list = node->as_array();
  if (list == nullptr) return std::vector<std::string>{element_text(key, *node)};
  std::vector<std::string> values;
  for (const toml::node& element : *list) values.push_back(element_text(key, element));
  return values;
}

std::optional<std::vector<std::int64_t>> TomlTable::integers(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto* list = node->as_array();
  if (list == nullptr) fail(key, fmt::format("{} must be a list of integers", key));
  std::vector<std::int64_t> values;
  for (const toml::node& element : *list) {
    const auto* value = element.as_integer();
    if (value == nullptr) fail(key, fmt::format("{} must be a list of integers", key));
    values.push_back(value->get());
  }
  return values;
}

std::optional<std::vector<double>> TomlTable::numbers(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto* list = node->as_array();
  if (list == nullptr) fail(key, fmt::format("{} must be a list of numbers", key));
  std::vector<double> values;
  for (const toml::node& element : *list) {
    const std::optional<double> value = element.is_number() ? element.value<double>() : std::nullopt;
    if (!value) fail(key, fmt::format("{} must be a list of numbers", key));
    values.push_back(*value);
  }
  return values;
}

std::string TomlTable::required_text(std::string_view key, std::string_view help) const {
  if (unfilled(key)) fail(key, fmt::format("{} still has to be filled in. {}", key, help));
  if (auto value = text(key)) return *value;
  fail(fmt::format("{} is missing. {}", key, help));
}

double TomlTable::required_number(std::string_view key, std::string_view help) const {
  if (unfilled(key)) fail(key, fmt::format("{} still has to be filled in. {}", key, help));
  if (auto value = number(key)) return *value;
  fail(fmt::format("{} is missing. {}", key, help));
}

std::uint64_t TomlTable::count(std::string_view key, std::string_view help) const {
  const std::optional<std::int64_t> value = integer(key);
  if (!value) fail(fmt::format("{} is missing. {}", key, help));
  if (*value < 0) fail(key, fmt::format("{} must be 0 or more", key));
  return static_cast<std::uint64_t>(*value);
}

std::vector<std::string> TomlTable::required_texts(std::string_view key, std::string_view help) const {
  if (unfilled(key)) fail(key, fmt::format("{} still has to be filled in. {}", key, help));
  auto values = texts(key);
  if (!values) fail(fmt::format("{} is missing. {}", key, help));
  if (std::find(values->begin(), values->end(), kFillIn) != values->end()) {
    fail(key, fmt::format("{} still has to be filled in. {}", key, help));
  }
  return *values;
}

// Numbers get the one text that every spelling of them has.
Compare TomlTable::add_value(std::string_view key, const toml::node& node, std::vector<std::string>& texts) const {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (const auto* value = node.as_boolean()) {
    texts.push_back(value->get() ? "true" : "false");
    return Compare::truth;
  }
  if (node.is_number()) {
    const auto* integer = node.as_integer();
    if (integer != nullptr && (integer->get() > kExact || integer->get() < -kExact)) {
      fail_at(
          origin_, node.source(), where_,
          fmt::format("{}: {} has too many digits to compare as a number; write it in quotes", key, integer->get()));
    }
    const double number = node.value<double>().value_or(0) + 0.0;  // -0 is 0
    if (!std::isfinite(number)) {
      fail_at(origin_, node.source(), where_,
              fmt::format("{}: a value must be a finite number, or a text in quotes", key));
    }
    texts.push_back(number_text(number));
    return Compare::number;
  }
  texts.push_back(element_text(key, node));
  return Compare::text;
}

WrittenValues TomlTable::required_values(std::string_view key, std::string_view help) const {
  if (unfilled(key)) fail(key, fmt::format("{} still has to be filled in. {}", key, help));
  const toml::node* node = find(key);
  if (node == nullptr) fail(fmt::format("{} is missing. {}", key, help));
  WrittenValues values;
  const auto* list = node->as_array();
  if (list == nullptr) {
    values.compare = add_value(key, *node, values.texts);
    return values;
  }
  for (const toml::node& element : *list) {
    const Compare compare = add_value(key, element, values.texts);
    if (values.texts.size() > 1 && compare != values.compare) {
      fail_at(origin_, element.source(), where_,
              fmt::format(
                  "{} mixes texts, numbers or booleans; write all in quotes (compared as texts: 01 and 1 differ) or "
                  "all without (compared as numbers: 1 is also 1.0)",
                  key));
    }
    values.compare = compare;
  }
  if (std::find(values.texts.begin(), values.texts.end(), kFillIn) != values.texts.end()) {
    fail(key, fmt::format("{} still has to be filled in. {}", key, help));
  }
  return values;
}

double TomlTable::element_day(std::string_view key, const toml::node& node) const {
  std::optional<std::int64_t> day;
  if (const auto* date = node.as_date()) day = day_number(date->get().year, date->get().month, date->get().day);
  if (const auto* text = node.as_string()) {
    if (const auto moment = parse_iso_date(text->get()); moment && !moment->ticks) day = moment->day;
  }
  if (day) return static_cast<double>(*day);
  fail_at(origin_, node.source(), where_, fmt::format("{} must be a day, such as 2024-02-29", key));
}

std::optional<double> TomlTable::day(std::string_view key) const {
  const toml::node* node = find(key);
  return node == nullptr ? std::nullopt : std::optional(element_day(key, *node));
}

std::optional<std::vector<double>> TomlTable::day_list(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto* list = node->as_array();
  if (list == nullptr) fail(key, fmt::format("{} must be a list of days", key));
  std::vector<double> days;
  for (const toml::node& element : *list) days.push_back(element_day(key, element));
  return days;
}

double TomlTable::required_day(std::string_view key, std::string_view help) const {
  if (unfilled(key)) fail(key, fmt::format("{} still has to be filled in. {}", key, help));
  if (auto value = day(key)) return *value;
  fail(fmt::format("{} is missing. {}", key, help));
}

}  // namespace dperm::schema
