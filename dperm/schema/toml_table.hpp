// SPDX-License-Identifier: Apache-2.0
// One table of schema.toml with typed access. Every failure is a DataError "file:line: where: what was expected, what
// to do"; it also recognises places a template left to fill in.
#pragma once

#include <toml++/toml.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

// Values as they were written: texts in quotes, numbers, or true and false.
struct WrittenValues {
  std::vector<std::string> texts;
  Compare compare = Compare::text;
};

inline constexpr std::string_view kFillIn = "FILL IN";

class TomlTable {
 public:
  // `where` names the table in messages, such as "[format]"; `table` and `origin` must outlive this object.
  TomlTable(const toml::table& table, std::string_view origin, std::string where)
      : table_(table), origin_(origin), where_(std::move(where)) {}

  void rename(std::string where) { where_ = std::move(where); }
  bool has(std::string_view key) const { return table_.contains(key); }

  // Refuses keys outside the list, naming the nearest one.
  void only(std::initializer_list<std::string_view> keys) const;

  std::optional<std::string> text(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  // A text or a list of texts; integers and booleans count as their text.
  std::optional<std::vector<std::string>> texts(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
  std::optional<std::vector<double>> numbers(std::string_view key) const;

  // A day: a TOML date, or a text such as "2024-02-29"; as days since 1970.
  std::optional<double> day(std::string_view key) const;
  std::optional<std::vector<double>> day_list(std::string_view key) const;

  // The same, but absent is an error that says `help`. A number may also still hold the template's marker.
  std::string required_text(std::string_view key, std::string_view help) const;
  double required_number(std::string_view key, std::string_view help) const;
  std::uint64_t count(std::string_view key, std::string_view help) const;  // a whole number, 0 or more
  double required_day(std::string_view key, std::string_view help) const;
  std::vector<std::string> required_texts(std::string_view key, std::string_view help) const;
  // One value or a list of values, all of one type.
  WrittenValues required_values(std::string_view key, std::string_view help) const;

  [[noreturn]] void fail(std::string_view problem) const;                        // at the table's line
  [[noreturn]] void fail(std::string_view key, std::string_view problem) const;  // at the key's line

 private:
  const toml::node* find(std::string_view key) const;
  bool unfilled(std::string_view key) const;
  std::string element_text(std::string_view key, const toml::node& node) const;
  Compare add_value(std::string_view key, const toml::node& node, std::vector<std::string>& texts) const;
  double element_day(std::string_view key, const toml::node& node) const;

  const toml::table& table_;
  std::string_view origin_;
  std::string where_;
};

// Throws DataError "origin:line: ..." for what is not TOML.
toml::table parse_toml(std::string_view text, std::string_view origin);
// The schema that a table describes; what parse_schema does after reading the text.
struct Schema;
Schema schema_of(const toml::table& root, std::string_view origin);

}  // namespace dperm::schema
