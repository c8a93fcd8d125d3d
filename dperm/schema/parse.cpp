// SPDX-License-Identifier: Apache-2.0
// schema.toml to Schema: reads each table, gives every mistake its line.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <limits>
#include <unordered_map>

#include "dperm/core/error.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/rules.hpp"
#include "dperm/schema/schema.hpp"
#include "dperm/schema/toml_table.hpp"

namespace dperm::schema {

namespace {

std::vector<std::string> trimmed_all(std::vector<std::string> texts) {
  for (std::string& text : texts) text = std::string(trimmed(text));
  return texts;
}

std::string why(std::string_view what) { return fmt::format("{} {}", what, kWhyPublic); }

TextFormat read_format(const TomlTable& table) {
  table.only({"file", "delimiter", "header", "skip_rows", "column_names", "missing"});
  TextFormat format;
  format.file = table.text("file").value_or("");
  if (const auto delimiter = table.text("delimiter")) {
    if (delimiter->size() != 1) table.fail("delimiter", "delimiter must be one character, such as \",\" or \"\\t\"");
    format.delimiter = delimiter->front();
  }
  format.header = table.boolean("header").value_or(true);
  const std::int64_t skip = table.integer("skip_rows").value_or(0);
  if (skip < 0 || skip > std::numeric_limits<int>::max()) {
    table.fail("skip_rows", fmt::format("skip_rows must be a line count, 0 or more; got {}", skip));
  }
  format.skip_rows = static_cast<int>(skip);
  format.column_names = trimmed_all(table.texts("column_names").value_or(std::vector<std::string>{}));
  if (auto missing = table.texts("missing")) format.missing = trimmed_all(*missing);
  if (std::string problem = format_problem(format); !problem.empty()) table.fail(problem);
  return format;
}

Target read_target(TomlTable& table, const TextFormat& format) {
  Target target;
  target.name = table.required_text("column", "Name the column to predict.");
  table.rename(fmt::format("target '{}'", target.name));
  const std::string kind = table.required_text("kind", "Write \"binary\", \"real\" or \"class\".");
  if (kind == "binary") {
    target.kind = TargetKind::binary;
    table.only({"column", "kind", "positive", "threshold"});
    if (table.has("threshold")) {
      target.threshold = table.required_number("threshold", why("Numbers above it count as +1."));
    }
    if (table.has("positive") || !table.has("threshold")) {
      target.positive = trimmed_all(table.required_texts(
          "positive",
          why("List the values that count as +1 (or give threshold, a number above which a value is +1).")));
    }
  } else if (kind == "real") {
    target.kind = TargetKind::real;
    table.only({"column", "kind", "lower", "upper"});
    target.lower = table.required_number("lower", why("A real target needs its smallest possible value."));
    target.upper = table.required_number("upper", why("A real target needs its largest possible value."));
  } else if (kind == "class") {
    target.kind = TargetKind::classes;
    table.only({"column", "kind", "values"});
    target.values = trimmed_all(table.required_texts("values", why("List the classes.")));
  } else {
    table.fail("kind", fmt::format("kind '{}' is unknown; did you mean '{}'? Known: binary, real, class", kind,
                                   nearest(kind, {"binary", "real", "class"})));
  }
  if (std::string problem = target_problem(target, format); !problem.empty()) table.fail(problem);
  return target;
}

Unit read_unit(const TomlTable& table) {
  table.only({"column", "rows"});
  Unit unit;
  unit.column = table.required_text("column", "Name the column that tells persons apart.");
  const auto rows = table.integer("rows");
  if (!rows || *rows < 1 || *rows > kMostUnitRows) {
    table.fail(rows ? "rows" : "column",
               fmt::format("rows must say how many rows of one person count, 1 to {}. {}", kMostUnitRows, kWhyPublic));
  }
  unit.rows = static_cast<std::uint32_t>(*rows);
  return unit;
}

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
  column.knots = table.numbers("knots").value_or(std::vector<double>{});
  const auto monotone = from_word<Monotone>(table.text("monotone").value_or("none"));
  if (!monotone) table.fail("monotone", "monotone must be \"up\", \"down\" or \"none\"");
  column.monotone = *monotone;
}

void read_number_column(const TomlTable& table, Column& column) {
  table.only({"name", "names", "range", "kind", "lower", "upper", "scale", "zero", "shape", "pieces", "knots",
              "monotone", "missing"});
  read_shape(table, column);
  column.lower = table.required_number("lower", why("A number column needs the smallest value it can take."));
  column.upper = table.required_number("upper", why("A number column needs the largest value it can take."));
  const std::string scale = table.text("scale").value_or("linear");
  if (scale != "linear" && scale != "log") table.fail("scale", "scale must be \"linear\" or \"log\"");
  column.scale = scale == "log" ? Scale::log : Scale::linear;
  const std::string zero = table.text("zero").value_or("middle");
  if (zero != "middle" && zero != "lower") table.fail("zero", "zero must be \"middle\" or \"lower\"");
  column.zero = zero == "lower" ? Zero::lower : Zero::middle;
  column.missing = read_missing(table, true);
}

// The column without a name, or nothing for kind = "ignore".
std::optional<Column> read_kind(const TomlTable& table) {
  const std::string kind =
      table.required_text("kind", "Write \"real\", \"integer\", \"category\", \"boolean\" or \"ignore\".");
  Column column;
  if (kind == "real" || kind == "integer") {
    column.kind = kind == "real" ? ColumnKind::real : ColumnKind::integer;
    read_number_column(table, column);
  } else if (kind == "category") {
    column.kind = ColumnKind::category;
    table.only(
        {"name", "names", "range", "kind", "values", "other", "ordered", "shape", "pieces", "monotone", "missing"});
    column.values = trimmed_all(table.required_texts("values", why("A category column needs the list of its values.")));
    column.other = table.boolean("other").value_or(false);
    column.ordered = table.boolean("ordered").value_or(false);
    read_shape(table, column);
    column.missing = read_missing(table, column.ordered);
  } else if (kind == "boolean") {
    column.kind = ColumnKind::boolean;
    table.only({"name", "names", "range", "kind", "missing"});
    column.missing = read_missing(table, false);
  } else if (kind == "ignore") {
    // Bounds of an ignored column may stay, so that a column can be switched off by one word.
    table.only({"name", "names", "range", "kind", "lower", "upper", "scale", "zero", "values", "other", "ordered",
                "shape", "pieces", "knots", "monotone", "missing"});
    return std::nullopt;
  } else {
    table.fail("kind", fmt::format("kind '{}' is unknown; did you mean '{}'? Known: real, integer, category, boolean, "
                                   "ignore",
                                   kind, nearest(kind, {"real", "integer", "category", "boolean", "ignore"})));
  }
  return column;
}

// Adds the columns one [[column]] entry declares and refuses names seen before, at this entry's line.
class ColumnReader {
 public:
  ColumnReader(Schema& schema, std::string_view origin) : schema_(schema), origin_(origin) {}

  void read(const toml::table& entry, std::size_t index) {
    TomlTable table(entry, origin_, fmt::format("[[column]] number {}", index + 1));
    const std::vector<std::string> names = read_names(table);
    table.rename(where_of(names));
    const std::optional<Column> column = read_kind(table);
    for (const std::string& name : names) {
      note_name(table, name, entry.source().begin.line);
      if (!column) {
        schema_.ignored.push_back(name);
        continue;
      }
      schema_.columns.push_back(*column);
      schema_.columns.back().name = name;
      weights_ += weight_count(*column);
      if (weights_ > kMaximumWeights) {
        table.fail(
            fmt::format("up to here the columns need more than {} weights, the limit; group rare categories "
                        "under other = true, or leave columns out with kind = \"ignore\"",
                        kMaximumWeights));
      }
    }
    if (!column) return;
    const std::string problem = column_problem(schema_.columns.back(), schema_.format);
    if (!problem.empty()) table.fail(problem);
  }

 private:
  void note_name(const TomlTable& table, const std::string& name, toml::source_index line) {
    if (trimmed(name).empty() || trimmed(name).size() != name.size()) {
      table.fail("a column name must not be empty nor begin or end with a blank");
    }
    const auto [earlier, is_new] = lines_.emplace(name, line);
    if (!is_new) {
      table.fail(fmt::format("'{}' was already declared on line {}; keep one of the two", name, earlier->second));
    }
    if (schema_.target.kind != TargetKind::none && name == schema_.target.name) {
      table.fail(fmt::format("'{}' is the target, so it cannot be a feature; delete this [[column]] entry", name));
    }
  }

  Schema& schema_;
  std::string_view origin_;
  std::unordered_map<std::string, toml::source_index> lines_;
  std::size_t weights_ = 1;
};

const toml::table* subtable(const toml::table& root, std::string_view key, const TomlTable& table) {
  const toml::node* node = root.get(key);
  if (node == nullptr) return nullptr;
  if (node->as_table() == nullptr) table.fail(key, fmt::format("{} must be a table: write [{}] on a line", key, key));
  return node->as_table();
}

void read_columns(const toml::table& root, const TomlTable& table, Schema& schema, std::string_view origin) {
  const toml::node* node = root.get("column");
  // A real target alone asks for one number, its mean or a quantile.
  const bool may_be_empty = schema.target.kind == TargetKind::real;
  if (node == nullptr && may_be_empty) return;
  const auto* list = node == nullptr ? nullptr : node->as_array();
  if (list == nullptr || list->empty()) {
    table.fail("column", "no [[column]] entry; declare each feature column with [[column]] (two brackets)");
  }
  ColumnReader reader(schema, origin);
  std::size_t index = 0;
  for (const toml::node& entry : *list) {
    if (entry.as_table() == nullptr) table.fail("column", "each column must be a table: write [[column]] on a line");
    reader.read(*entry.as_table(), index++);
  }
  if (schema.columns.empty() && !may_be_empty) {
    table.fail("column", "every column is ignored; declare at least one feature");
  }
}

// pairs = [["longitude", "latitude"]], or ["longitude", "latitude", 8] with the pieces in each direction.
void read_pairs(const toml::table& root, const TomlTable& table, Schema& schema) {
  const toml::node* node = root.get("pairs");
  if (node == nullptr) return;
  const auto wrong = [&] {
    table.fail("pairs", "pairs must be a list of pairs of column names: pairs = [[\"longitude\", \"latitude\"]]");
  };
  const auto* list = node->as_array();
  if (list == nullptr) wrong();
  for (const toml::node& entry : *list) {
    const auto* pair = entry.as_array();
    if (pair == nullptr || pair->size() < 2 || pair->size() > 3) wrong();
    const auto* first = pair->get(0)->as_string();
    const auto* second = pair->get(1)->as_string();
    const auto* pieces = pair->size() == 3 ? pair->get(2)->as_integer() : nullptr;
    if (first == nullptr || second == nullptr || (pair->size() == 3 && pieces == nullptr)) wrong();
    if (pieces != nullptr && (pieces->get() < 1 || pieces->get() > kMostPairPieces)) {
      table.fail("pairs", fmt::format("the pieces of a pair must be between 1 and {}", kMostPairPieces));
    }
    schema.pairs.push_back(
        {first->get(), second->get(), pieces == nullptr ? 0 : static_cast<std::uint32_t>(pieces->get())});
    if (std::string problem = pair_problem(schema.pairs.back(), schema); !problem.empty()) table.fail("pairs", problem);
  }
}

toml::table parse_toml(std::string_view text, std::string_view origin) {
  try {
    return toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    throw DataError(
        fmt::format("{}:{}: this is not valid TOML: {}. Texts need quotes, keys are written key = value; see "
                    "docs/schema.md",
                    origin, error.source().begin.line, error.description()));
  }
}

}  // namespace

Schema parse_schema(std::string_view toml_text, std::string_view origin) {
  const toml::table root = parse_toml(toml_text, origin);
  const TomlTable table(root, origin, "schema");
  table.only({"version", "format", "unit", "target", "column", "pairs"});
  const auto version = table.integer("version");
  if (version != 1) {
    table.fail("version", version ? fmt::format("version {} is unknown; this dperm reads version = 1", *version)
                                  : "version is missing; begin the file with version = 1");
  }
  Schema schema;
  if (const toml::table* format = subtable(root, "format", table)) {
    schema.format = read_format(TomlTable(*format, origin, "[format]"));
  }
  if (const toml::table* target = subtable(root, "target", table)) {
    TomlTable entry(*target, origin, "[target]");
    schema.target = read_target(entry, schema.format);
  }
  read_columns(root, table, schema, origin);
  read_pairs(root, table, schema);
  if (const toml::table* unit = subtable(root, "unit", table)) {
    const TomlTable entry(*unit, origin, "[unit]");
    schema.unit = read_unit(entry);
    if (std::string problem = unit_problem(*schema.unit, schema); !problem.empty()) entry.fail(problem);
  }
  validate(schema);
  return schema;
}

}  // namespace dperm::schema
