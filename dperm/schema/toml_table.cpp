// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/toml_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "dperm/core/error.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::schema {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

[[noreturn]] void fail_at(std::string_view origin, const toml::source_region& source, std::string_view where,
                          std::string_view problem) {
  if (source.begin.line == 0) throw DataError(fmt::format("{}: {}: {}", origin, where, problem));
  throw DataError(fmt::format("{}:{}: {}: {}", origin, source.begin.line, where, problem));
}

}  // namespace

std::string_view nearest(std::string_view text, std::initializer_list<std::string_view> candidates) {
  std::string_view best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  // Keys are short; a very long text is not a misspelling of any.
  const std::string_view head = text.substr(0, 64);
  for (const std::string_view candidate : candidates) {
    if (const std::size_t distance = edit_distance(head, candidate); distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

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
            fmt::format("unknown key '{}'; did you mean '{}'? Known here: {}", key.str(), nearest(key.str(), keys),
                        fmt::join(keys, ", ")));
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

}  // namespace dperm::schema
