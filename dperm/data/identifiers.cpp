// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/identifiers.hpp"

#include <algorithm>
#include <unordered_map>

#include "dperm/data/source/files.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::data {

namespace {

// Whether every row could have a number of its own.
bool has_room(const schema::Column& column, std::size_t rows) {
  const bool number = column.kind == schema::ColumnKind::real || column.kind == schema::ColumnKind::integer;
  return number && column.upper - column.lower + 1 >= static_cast<double>(rows);
}

}  // namespace

std::vector<std::string> column_names(const std::vector<std::string>& patterns, const schema::TextFormat& format,
                                      const std::string& kind) {
  return source_names(find_files(patterns, file_kind(kind, format)).front(), format);
}

bool records_name_columns(const std::vector<std::string>& patterns, const schema::TextFormat& format,
                          const std::string& kind) {
  return find_files(patterns, file_kind(kind, format)).front().format == FileFormat::libsvm;
}

std::vector<std::string> undeclared_identifiers(const std::vector<std::string>& names, const schema::Schema& schema,
                                                std::size_t rows) {
  std::unordered_map<std::string, bool> known = {{schema.target.name, true}};
  for (const schema::Column& column : schema.columns) {
    for (const std::string& source : schema::sources_of(column)) known[source] = !has_room(column, rows);
  }
  for (const std::string& identifier : schema.identifiers) known[identifier] = true;
  if (schema.unit) known[schema.unit->column] = true;
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (!may_name_persons(name) || std::ranges::find(found, name) != found.end()) continue;
    if (const auto place = known.find(name); place == known.end() || !place->second) found.push_back(name);
  }
  return found;
}

}  // namespace dperm::data
