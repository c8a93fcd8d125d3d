// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/schema.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "dperm/core/error.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/rules.hpp"
#include "dperm/schema/toml_text.hpp"

namespace dperm::schema {

namespace {

// -0 equals 0 and must not give another text.
std::string number(double value) { return number_text(value + 0.0); }

std::string shape_toml(const Column& column) {
  std::string text;
  if (column.shape != ColumnShape::automatic) text += fmt::format("shape = \"{}\"\n", word(column.shape));
  if (column.pieces != 0) text += fmt::format("pieces = {}\n", column.pieces);
  if (!column.knots.empty()) {
    std::vector<std::string> knots;
    for (const double knot : column.knots) knots.push_back(number(knot));
    text += fmt::format("knots = [{}]\n", fmt::join(knots, ", "));
  }
  if (column.monotone != Monotone::none) text += fmt::format("monotone = \"{}\"\n", word(column.monotone));
  return text;
}

std::string pairs_toml(const std::vector<ColumnPair>& pairs) {
  if (pairs.empty()) return {};
  std::vector<std::string> texts;
  for (const ColumnPair& pair : pairs) {
    const std::string pieces = pair.pieces == 0 ? "" : fmt::format(", {}", pair.pieces);
    texts.push_back(fmt::format("[{}, {}{}]", toml_string(pair.first), toml_string(pair.second), pieces));
  }
  return fmt::format("pairs = [{}]\n", fmt::join(texts, ", "));
}

std::string column_toml(const Column& column) {
  static constexpr const char* kKinds[] = {"real", "integer", "category", "boolean"};
  std::string text = fmt::format("\n[[column]]\nname = {}\nkind = \"{}\"\n", toml_string(column.name),
                                 kKinds[static_cast<int>(column.kind)]);
  if (column.kind == ColumnKind::real || column.kind == ColumnKind::integer) {
    text += fmt::format("lower = {}\nupper = {}\n", number(column.lower), number(column.upper));
    if (column.scale == Scale::log) text += "scale = \"log\"\n";
    if (column.zero == Zero::lower) text += "zero = \"lower\"\n";
    return text + shape_toml(column) + "missing = \"midpoint\"\n";
  }
  if (column.kind == ColumnKind::category) {
    text += fmt::format("values = {}\nother = {}\n", toml_strings(column.values), column.other);
    if (column.ordered) return text + "ordered = true\n" + shape_toml(column) + "missing = \"midpoint\"\n";
  }
  return text + fmt::format("missing = \"{}\"\n", column.missing == MissingRule::none ? "none" : "category");
}

std::string target_toml(const Target& target) {
  if (target.kind == TargetKind::none) return {};
  std::string text =
      fmt::format("\n[target]\ncolumn = {}\nkind = \"{}\"\n", toml_string(target.name), word(target.kind));
  switch (target.kind) {
    case TargetKind::binary:
      text += target.threshold ? fmt::format("threshold = {}\n", number(*target.threshold))
                               : fmt::format("positive = {}\n", toml_strings(target.positive));
      return text;
    case TargetKind::real:
      return text + fmt::format("lower = {}\nupper = {}\n", number(target.lower), number(target.upper));
    default:
      return text + fmt::format("values = {}\n", toml_strings(target.values));
  }
}

std::string unit_toml(const std::optional<Unit>& unit) {
  if (!unit) return {};
  return fmt::format("\n[unit]\ncolumn = {}\nrows = {}\n", toml_string(unit->column), unit->rows);
}

std::string named(const char* what, const std::string& name, const std::string& problem) {
  return fmt::format("schema: {} '{}': {}", what, name, problem);
}

}  // namespace

TargetUnits target_units(const Target& target) {
  if (target.kind != TargetKind::real) return {};
  return {(target.lower + target.upper) / 2, (target.upper - target.lower) / 2};
}

std::string to_toml(const Schema& schema) {
  std::string text = "version = 1\n" + pairs_toml(schema.pairs) + format_toml(schema.format) + unit_toml(schema.unit) +
                     target_toml(schema.target);
  for (const Column& column : schema.columns) text += column_toml(column);
  if (!schema.ignored.empty()) {
    text += fmt::format("\n[[column]]\nnames = {}\nkind = \"ignore\"\n", toml_strings(schema.ignored));
  }
  return text;
}

void validate(const Schema& schema) {
  if (std::string problem = format_problem(schema.format); !problem.empty()) {
    throw DataError("schema: [format]: " + problem);
  }
  if (std::string problem = target_problem(schema.target, schema.format); !problem.empty()) {
    throw DataError(named("target", schema.target.name, problem));
  }
  for (const Column& column : schema.columns) {
    if (std::string problem = column_problem(column, schema.format); !problem.empty()) {
      throw DataError(named("column", column.name, problem));
    }
  }
  if (schema.unit) {
    if (std::string problem = unit_problem(*schema.unit, schema); !problem.empty()) {
      throw DataError("schema: [unit]: " + problem);
    }
  }
  if (std::string problem = integer_problem(schema); !problem.empty()) throw DataError("schema: " + problem);
}

Schema read_schema(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();  // unlike an iterator, this does not throw when a folder is read
  if (!file || text.bad()) {
    throw DataError(
        fmt::format("{}: the schema cannot be read ({}); check the path, or write one with 'dperm schema "
                    "init'",
                    path, std::strerror(errno)));
  }
  return parse_schema(text.str(), path);
}

}  // namespace dperm::schema
