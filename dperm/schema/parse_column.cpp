// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/parse_column.hpp"

#include <fmt/format.h>

#include "dperm/core/nearest.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/dates.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::schema {

std::vector<std::string> trimmed_all(std::vector<std::string> texts) {
  for (std::string& text : texts) text = std::string(trimmed(text));
  return texts;
}

std::string why_public(std::string_view what) { return fmt::format("{} {}", what, kWhyPublic); }

NumberStyle read_style(const TomlTable& table, const NumberStyle& style) {
  NumberStyle result = style;
  if (const auto decimal = table.text("decimal")) {
    if (*decimal != "." && *decimal != ",") table.fail("decimal", "decimal must be \".\" or \",\"");
    result.decimal = decimal->front();
  }
  if (const auto thousands = table.text("thousands")) result.thousands = *thousands;
  if (auto strip = table.texts("strip")) result.strip = trimmed_all(*strip);
  if (std::string problem = style_problem(result); !problem.empty()) table.fail(problem);
  return result;
}

namespace {

MissingRule read_missing(const TomlTable& table, bool number) {
  const std::string rule = table.text("missing").value_or(number ? "midpoint" : "none");
  if (number) {
    if (rule == "midpoint") return MissingRule::midpoint;
    table.fail("missing", "missing must be \"midpoint\" for numbers: a missing cell becomes the middle of the bounds");
  }
  if (rule == "none") return MissingRule::none;
  if (rule == "category") return MissingRule::category;
  table.fail("missing", "missing must be \"none\" (zeros) or \"category\" (a category of its own)");
}

// Naming pieces or knots asks for a curve.
void read_shape(const TomlTable& table, Column& column) {
  const bool has_pieces = table.has("pieces") || table.has("knots");
  const std::string shape = table.text("shape").value_or(has_pieces ? "curve" : "auto");
  const auto known = from_word<ColumnShape>(shape);
  if (!known) {
    table.fail("shape", "shape must be \"auto\", \"linear\", \"curve\" (piecewise linear) or \"steps\"");
  }
  column.shape = *known;
  const std::int64_t pieces = table.integer("pieces").value_or(1);
  if (pieces < 1 || pieces > kMostPieces) {
    table.fail("pieces", fmt::format("pieces must be between 1 and {}", kMostPieces));
  }
  if (table.has("pieces")) column.pieces = static_cast<std::uint32_t>(pieces);
  const auto knots = column.kind == ColumnKind::date ? table.day_list("knots") : table.numbers("knots");
  column.knots = knots.value_or(std::vector<double>{});
  const auto monotone = from_word<Monotone>(table.text("monotone").value_or("none"));
  if (!monotone) table.fail("monotone", "monotone must be \"up\", \"down\" or \"none\"");
  column.monotone = *monotone;
}

// Bounds, scale and shape: what all columns have that enter as numbers.
void read_number(const TomlTable& table, Column& column) {
  read_shape(table, column);
  const bool date = column.kind == ColumnKind::date;
  const std::string lower = why_public(date ? "A date column needs the first day it can hold, such as 2000-01-01."
                                            : "A number column needs the smallest value it can take.");
  const std::string upper = why_public(date ? "A date column needs the last day it can hold, such as 2029-12-31."
                                            : "A number column needs the largest value it can take.");
  column.lower = date ? table.required_day("lower", lower) : table.required_number("lower", lower);
  column.upper = date ? table.required_day("upper", upper) : table.required_number("upper", upper);
  const std::string scale = table.text("scale").value_or("linear");
  if (scale != "linear" && scale != "log") table.fail("scale", "scale must be \"linear\" or \"log\"");
  column.scale = scale == "log" ? Scale::log : Scale::linear;
  const std::string zero = table.text("zero").value_or("middle");
  if (zero != "middle" && zero != "lower") table.fail("zero", "zero must be \"middle\" or \"lower\"");
  column.zero = zero == "lower" ? Zero::lower : Zero::middle;
  column.missing = read_missing(table, true);
}

std::vector<std::string> read_date_formats(const TomlTable& table) {
  if (!table.has("format")) return {};
  std::vector<std::string> formats =
      trimmed_all(table.required_texts("format", "Say how dates are written, such as \"%d/%m/%Y\"."));
  for (const std::string& format : formats) {
    if (std::string problem = date_format_problem(format); !problem.empty()) table.fail("format", problem);
  }
  return formats;
}

Column part_column(const TomlTable& table, std::string_view key, const std::string& word) {
  const auto part = from_word<DatePart>(word);
  if (!part || *part == DatePart::none) {
    table.fail(key, fmt::format("'{}' is no part of a date; known: month, weekday, hour", word));
  }
  Column column;
  column.kind = ColumnKind::category;
  column.part = *part;
  column.values = date_part_values(*part);
  column.missing = MissingRule::none;
  return column;
}

// The day as a number and its parts as categories; or, with part, one part alone.
std::vector<Column> read_date(const TomlTable& table) {
  std::vector<Column> columns;
  const std::string source = table.text("source").value_or("");
  if (const auto part = table.text("part")) {
    table.only({"name", "names", "kind", "part", "source", "format", "missing", "description"});
    columns.push_back(part_column(table, "part", *part));
    columns.back().missing = read_missing(table, false);
    columns.back().source = source;
  } else {
    table.only({"name", "names", "kind", "lower", "upper", "format", "parts", "source", "scale", "zero", "shape",
                "pieces", "knots", "monotone", "missing", "description"});
    Column day;
    day.kind = ColumnKind::date;
    day.source = source;
    read_number(table, day);
    columns.push_back(day);
    for (const std::string& word : table.texts("parts").value_or(std::vector<std::string>{})) {
      columns.push_back(part_column(table, "parts", word));
      columns.back().name = "." + word;
      columns.back().source = source;
    }
  }
  for (Column& column : columns) column.date_formats = read_date_formats(table);
  return columns;
}

Column read_days(const TomlTable& table) {
  table.only({"name", "kind", "from", "to", "lower", "upper", "format", "scale", "zero", "shape", "pieces", "knots",
              "monotone", "missing", "description"});
  Column column;
  column.kind = ColumnKind::days;
  column.since = table.required_text("from", "Name the column of the file that holds the earlier date.");
  column.source = table.required_text("to", "Name the column of the file that holds the later date.");
  column.date_formats = read_date_formats(table);
  read_number(table, column);
  return column;
}

Column read_category(const TomlTable& table) {
  table.only({"name", "names", "range", "kind", "values", "other", "ordered", "shape", "pieces", "monotone", "missing",
              "inferred", "description"});
  Column column;
  column.kind = ColumnKind::category;
  WrittenValues values = table.required_values("values", why_public("A category column needs the list of its values."));
  column.values = trimmed_all(std::move(values.texts));
  column.compare = values.compare;
  column.other = table.boolean("other").value_or(false);
  column.ordered = table.boolean("ordered").value_or(false);
  read_shape(table, column);
  column.missing = read_missing(table, column.ordered);
  column.inferred = table.text("inferred").value_or("");
  return column;
}

}  // namespace

namespace {

ColumnEntry read_entry(const TomlTable& table, const NumberStyle& style) {
  const std::string kind = table.required_text(
      "kind",
      "Write \"real\", \"integer\", \"category\", \"boolean\", \"date\", \"days\", \"identifier\" or \"ignore\".");
  Column column;
  if (kind == "real" || kind == "integer") {
    table.only({"name", "names", "range", "kind", "lower", "upper", "scale", "zero", "shape", "pieces", "knots",
                "monotone", "missing", "decimal", "thousands", "strip", "inferred", "description"});
    column.kind = kind == "real" ? ColumnKind::real : ColumnKind::integer;
    read_number(table, column);
    column.style = read_style(table, style);
    column.inferred = table.text("inferred").value_or("");
    return {{column}};
  }
  if (kind == "category") return {{read_category(table)}};
  if (kind == "date") return {read_date(table)};
  if (kind == "days") return {{read_days(table)}};
  if (kind == "boolean") {
    column.kind = ColumnKind::boolean;
    table.only({"name", "names", "range", "kind", "missing", "description"});
    column.missing = read_missing(table, false);
    return {{column}};
  }
  if (kind == "ignore" || kind == "identifier") {
    // Bounds of an ignored column may stay, so that a column can be switched off by one word.
    table.only({"name",  "names",   "range", "kind",   "lower",  "upper",    "scale",   "zero",     "values",
                "other", "ordered", "shape", "pieces", "knots",  "monotone", "missing", "decimal",  "thousands",
                "strip", "format",  "parts", "part",   "source", "from",     "to",      "inferred", "description"});
    return {{}, true, kind == "identifier"};
  }
  table.fail(
      "kind",
      fmt::format("kind '{}' is unknown; did you mean '{}'? Known: real, integer, category, boolean, date, days, "
                  "identifier, ignore",
                  kind,
                  nearest(kind, {"real", "integer", "category", "boolean", "date", "days", "identifier", "ignore"})));
}

}  // namespace

ColumnEntry read_column_entry(const TomlTable& table, const NumberStyle& style) {
  ColumnEntry entry = read_entry(table, style);
  for (Column& column : entry.columns) column.description = table.text("description").value_or("");
  return entry;
}

}  // namespace dperm::schema
