// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/entry_names.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "dperm/schema/rules.hpp"

namespace dperm::schema {

namespace {

std::size_t bytes_of(const std::vector<std::string>& texts) {
  std::size_t bytes = texts.size() * sizeof(std::string);
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

}  // namespace

std::vector<std::string> read_names(const TomlTable& table) {
  const int ways = int{table.has("name")} + int{table.has("names")} + int{table.has("range")};
  if (ways != 1) table.fail("needs exactly one of name = \"a\", names = [\"a\", \"b\"] and range = [first, last]");
  if (table.has("name")) return {table.required_text("name", "Name the column as the file's header does.")};
  if (table.has("names")) {
    auto names = table.required_texts("names", "Name the columns as the file's header does.");
    if (names.empty()) table.fail("names", "names must list at least one column");
    return names;
  }
  const auto range = *table.integers("range");
  if (range.size() != 2 || range[0] < 0 || range[0] > range[1]) {
    table.fail("range", "range must be [first, last], both 0 or more, first at most last");
  }
  if (range[1] - range[0] >= static_cast<std::int64_t>(kMaximumWeights)) {
    table.fail("range", fmt::format("range names more columns than the limit of {} weights; give a shorter range",
                                    kMaximumWeights));
  }
  std::vector<std::string> names;
  for (std::int64_t index = range[0]; index <= range[1]; ++index) names.push_back(fmt::format("{}", index));
  return names;
}

std::string where_of(const std::vector<std::string>& names) {
  if (names.size() == 1) return fmt::format("column '{}'", names.front());
  return fmt::format("columns '{}' to '{}'", names.front(), names.back());
}

std::size_t bytes_of(const Column& column) {
  return sizeof(Column) + bytes_of(column.values) + column.knots.size() * sizeof(double) + column.inferred.size() +
         column.style.thousands.size() + bytes_of(column.style.strip) + column.source.size() + column.since.size() +
         bytes_of(column.date_formats) + column.description.size();
}

std::size_t bytes_of(const toml::node& node) {
  constexpr std::size_t kNode = 100;
  std::size_t bytes = kNode;
  if (const auto* table = node.as_table()) {
    for (const auto& [key, value] : *table) bytes += kNode + key.str().size() + bytes_of(value);
  } else if (const auto* list = node.as_array()) {
    for (const toml::node& each : *list) bytes += bytes_of(each);
  } else if (const auto* text = node.as_string()) {
    bytes += text->get().size();
  }
  return bytes;
}

void Copies::count(const TomlTable& table, std::size_t copies, std::size_t bytes_each) {
  if (copies <= (most_ - bytes_) / bytes_each) {
    bytes_ += copies * bytes_each;
    return;
  }
  table.fail(fmt::format(
      "up to here the columns need more than {} MiB of memory, the limit; name fewer columns, or write less "
      "into an entry with many names",
      most_ >> 20));
}

}  // namespace dperm::schema
