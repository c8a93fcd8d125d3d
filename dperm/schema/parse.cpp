// SPDX-License-Identifier: Apache-2.0
// schema.toml to Schema: reads each table, gives every mistake its line.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/entry_names.hpp"
#include "dperm/schema/parse_column.hpp"
#include "dperm/schema/rules.hpp"
#include "dperm/schema/schema.hpp"
#include "dperm/schema/toml_table.hpp"

namespace dperm::schema {

namespace {

int line_count(const TomlTable& table, const char* key) {
  const std::int64_t lines = table.integer(key).value_or(0);
  if (lines < 0 || lines > std::numeric_limits<int>::max()) {
    table.fail(key, fmt::format("{} must be a line count, 0 or more; got {}", key, lines));
  }
  return static_cast<int>(lines);
}

TextFormat read_format(const TomlTable& table) {
  table.only({"file", "delimiter", "header", "skip_rows", "skip_last_rows", "multi_line", "line_end", "column_names",
              "missing", "decimal", "thousands"});
  TextFormat format;
  format.file = table.text("file").value_or("");
  if (const auto delimiter = table.text("delimiter")) {
    const auto found = delimiter_from(*delimiter);
    if (!found) table.fail("delimiter", "delimiter must be one character, such as \",\" or \"\\t\"");
    format.delimiter = *found;
  }
  format.header = table.boolean("header").value_or(true);
  format.skip_rows = line_count(table, "skip_rows");
  format.skip_last_rows = line_count(table, "skip_last_rows");
  format.multi_line = table.boolean("multi_line").value_or(false);
  if (const auto end = table.text("line_end")) format.line_end = end->size() == 1 ? end->front() : '\0';
  format.column_names = trimmed_all(table.texts("column_names").value_or(std::vector<std::string>{}));
  if (auto missing = table.texts("missing")) format.missing = trimmed_all(*missing);
  if (std::string problem = format_problem(format); !problem.empty()) table.fail(problem);
  return format;
}

Target read_target(TomlTable& table, const TextFormat& format, const NumberStyle& style) {
  Target target;
  target.name = table.required_text("column", "Name the column to predict.");
  table.rename(fmt::format("target '{}'", target.name));
  const std::string kind = table.required_text("kind", "Write \"binary\", \"real\" or \"class\".");
  if (kind == "binary") {
    target.kind = TargetKind::binary;
    table.only({"column", "kind", "positive", "threshold", "decimal", "thousands", "strip", "inferred", "description"});
    if (table.has("threshold")) {
      target.threshold = table.required_number("threshold", why_public("Numbers above it count as +1."));
    }
    if (table.has("positive") || !table.has("threshold")) {
      WrittenValues values = table.required_values(
          "positive",
          why_public("List the values that count as +1 (or give threshold, a number above which a value is +1)."));
      target.positive = trimmed_all(std::move(values.texts));
      target.compare = values.compare;
    }
    if (target.threshold) target.style = read_style(table, style);
  } else if (kind == "real") {
    target.kind = TargetKind::real;
    table.only({"column", "kind", "lower", "upper", "decimal", "thousands", "strip", "inferred", "description"});
    target.lower = table.required_number("lower", why_public("A real target needs its smallest possible value."));
    target.upper = table.required_number("upper", why_public("A real target needs its largest possible value."));
    target.style = read_style(table, style);
  } else if (kind == "class") {
    target.kind = TargetKind::classes;
    table.only({"column", "kind", "values", "inferred", "description"});
    WrittenValues values = table.required_values("values", why_public("List the classes."));
    target.values = trimmed_all(std::move(values.texts));
    target.compare = values.compare;
  } else {
    table.fail("kind", fmt::format("kind '{}' is unknown; did you mean '{}'? Known: binary, real, class", kind,
                                   nearest(kind, {"binary", "real", "class"})));
  }
  target.inferred = table.text("inferred").value_or("");
  target.description = table.text("description").value_or("");
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

// Days between two dates that name no format read them as the dates' own columns do: else they would all be missing.
void inherit_formats(const TomlTable& table, Schema& schema, Copies& copies) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> dates;  // by the column of the file
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const Column& column = schema.columns[c];
    if (column.kind != ColumnKind::date || column.date_formats.empty()) continue;
    dates[column.source.empty() ? column.name : column.source].push_back(c);
  }
  if (dates.empty()) return;
  for (Column& days : schema.columns) {
    if (days.kind != ColumnKind::days || !days.date_formats.empty()) continue;
    std::set<std::size_t> used;  // in the schema's order
    for (const std::string& source : {days.since, days.source}) {
      if (const auto found = dates.find(source); found != dates.end())
        used.insert(found->second.begin(), found->second.end());
    }
    std::unordered_set<std::string_view> known;
    for (const std::size_t c : used) {
      for (const std::string& format : schema.columns[c].date_formats) {
        copies.count(table, 1, sizeof(std::string) + format.size());
        if (known.insert(format).second) days.date_formats.push_back(format);
      }
    }
  }
}

// Adds the columns one [[column]] entry declares and refuses names seen before, at this entry's line.
class ColumnReader {
 public:
  ColumnReader(Schema& schema, const NumberStyle& style, std::string_view origin, Copies& copies)
      : schema_(schema), style_(style), origin_(origin), copies_(copies) {}

  void read(const toml::table& entry, std::size_t index) {
    TomlTable table(entry, origin_, fmt::format("[[column]] number {}", index + 1));
    const std::vector<std::string> names = read_names(table);
    table.rename(where_of(names));
    const ColumnEntry entry_columns = read_column_entry(table, style_);
    std::size_t bytes = kNameBytes;
    for (const Column& column : entry_columns.columns) bytes += bytes_of(column);
    copies_.count(table, names.size(), bytes);
    for (const std::string& name : names) {
      if (entry_columns.left_out) {
        note_name(table, name, entry.source().begin.line);
        (entry_columns.identifier ? schema_.identifiers : schema_.ignored).push_back(name);
      }
      for (const Column& column : entry_columns.columns) {
        add(column, name);
        note_name(table, schema_.columns.back().name, entry.source().begin.line);
        check_weights(table);
      }
    }
    check_last(table, entry_columns.columns.size());  // those of the other names are alike
  }

 private:
  // A part of a date has the name of the date with an ending. A source is written where it differs from the name.
  void add(const Column& column, const std::string& name) {
    schema_.columns.push_back(column);
    Column& added = schema_.columns.back();
    added.name = name + column.name;
    if (column.source.empty()) added.source = name;
    if (added.source == added.name) added.source.clear();
    weights_ += weight_count(column);
  }

  void check_weights(const TomlTable& table) const {
    if (weights_ <= kMaximumWeights) return;
    table.fail(
        fmt::format("up to here the columns need more than {} weights, the limit; group rare categories "
                    "under other = true, or leave columns out with kind = \"ignore\"",
                    kMaximumWeights));
  }

  void check_last(const TomlTable& table, std::size_t count) const {
    for (std::size_t c = schema_.columns.size() - count; c < schema_.columns.size(); ++c) {
      const std::string problem = column_problem(schema_.columns[c], schema_.format);
      if (!problem.empty()) table.fail(problem);
    }
  }

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
  const NumberStyle& style_;
  std::string_view origin_;
  Copies& copies_;
  std::unordered_map<std::string, toml::source_index> lines_;
  std::size_t weights_ = 1;
};

const toml::table* subtable(const toml::table& root, std::string_view key, const TomlTable& table) {
  const toml::node* node = root.get(key);
  if (node == nullptr) return nullptr;
  if (node->as_table() == nullptr) table.fail(key, fmt::format("{} must be a table: write [{}] on a line", key, key));
  return node->as_table();
}

void read_columns(const toml::table& root, const TomlTable& table, const NumberStyle& style, Schema& schema,
                  std::string_view origin) {
  const toml::node* node = root.get("column");
  // A real target alone asks for one number, its mean or a quantile.
  const bool may_be_empty = schema.target.kind == TargetKind::real;
  if (node == nullptr && may_be_empty) return;
  const auto* list = node == nullptr ? nullptr : node->as_array();
  if (list == nullptr || list->empty()) {
    table.fail("column", "no [[column]] entry; declare each feature column with [[column]] (two brackets)");
  }
  Copies copies(kMostSchemaBytes);
  ColumnReader reader(schema, style, origin, copies);
  std::size_t index = 0;
  for (const toml::node& entry : *list) {
    if (entry.as_table() == nullptr) table.fail("column", "each column must be a table: write [[column]] on a line");
    reader.read(*entry.as_table(), index++);
  }
  inherit_formats(table, schema, copies);
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
  const ColumnsByName columns = by_name(schema.columns);
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
    if (std::string problem = pair_problem(schema.pairs.back(), columns); !problem.empty())
      table.fail("pairs", problem);
  }
}

Inference read_inference(const TomlTable& table, const toml::table& entry, std::string_view origin) {
  table.only({"id", "nonce", "rows", "epsilon", "delta", "private", "unit", "unit_rows", "releases"});
  Inference inference;
  const std::string_view help = "It is written by 'dperm schema infer'; take it from there as it stands.";
  inference.id = table.required_text("id", help);
  inference.nonce = table.required_text("nonce", help);
  inference.rows = table.count("rows", help);
  inference.epsilon = table.required_number("epsilon", help);
  inference.delta = table.required_number("delta", help);
  // A cost below zero would take back what others spent.
  if (!(inference.epsilon >= 0) || !std::isfinite(inference.epsilon))
    table.fail("epsilon", "must be 0 or more, finite");
  if (!(inference.delta >= 0 && inference.delta < 1)) table.fail("delta", "must be 0 or more, and below 1");
  inference.is_private = table.boolean("private").value_or(true);
  inference.unit = table.text("unit").value_or("");
  if (table.has("unit_rows")) inference.unit_rows = static_cast<std::uint32_t>(table.count("unit_rows", help));
  const toml::node* releases = entry.get("releases");
  if (releases == nullptr || releases->as_array() == nullptr) table.fail("releases", "releases must be a list");
  for (const toml::node& node : *releases->as_array()) {
    if (node.as_table() == nullptr) table.fail("releases", "every release must be a table");
    const TomlTable each(*node.as_table(), origin, "[[inferred]] release");
    each.only({"what", "mechanism", "l2_sensitivity", "sigma", "threshold", "values"});
    Inference::Release release{each.required_text("what", help), each.required_text("mechanism", help),
                               each.required_number("l2_sensitivity", help), each.required_number("sigma", help)};
    if (each.has("threshold")) release.threshold = each.count("threshold", help);
    if (each.has("values")) release.values = each.count("values", help);
    inference.releases.push_back(std::move(release));
  }
  return inference;
}

void read_inferred(const toml::table& root, const TomlTable& table, Schema& schema, std::string_view origin) {
  const toml::node* node = root.get("inferred");
  if (node == nullptr) return;
  const auto* list = node->as_array();
  if (list == nullptr) table.fail("inferred", "inferred must be a list of tables: write [[inferred]] on a line");
  for (const toml::node& entry : *list) {
    if (entry.as_table() == nullptr)
      table.fail("inferred", "every entry must be a table: write [[inferred]] on a line");
    schema.inferred.push_back(
        read_inference(TomlTable(*entry.as_table(), origin, "[[inferred]]"), *entry.as_table(), origin));
  }
}

}  // namespace

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

Schema schema_of(const toml::table& root, std::string_view origin) {
  const TomlTable table(root, origin, "schema");
  table.only({"version", "format", "unit", "ledger", "target", "column", "pairs", "inferred"});
  const auto version = table.integer("version");
  if (version != 1) {
    table.fail("version", version ? fmt::format("version {} is unknown; this dperm reads version = 1", *version)
                                  : "version is missing; begin the file with version = 1");
  }
  Schema schema;
  NumberStyle style;
  if (const toml::table* format = subtable(root, "format", table)) {
    const TomlTable entry(*format, origin, "[format]");
    schema.format = read_format(entry);
    style = read_style(entry, {});
  }
  if (const toml::table* target = subtable(root, "target", table)) {
    TomlTable entry(*target, origin, "[target]");
    schema.target = read_target(entry, schema.format, style);
  }
  read_columns(root, table, style, schema, origin);
  read_pairs(root, table, schema);
  read_inferred(root, table, schema, origin);
  if (const toml::table* unit = subtable(root, "unit", table)) {
    const TomlTable entry(*unit, origin, "[unit]");
    schema.unit = read_unit(entry);
    if (std::string problem = unit_problem(*schema.unit, schema); !problem.empty()) entry.fail(problem);
  }
  if (const toml::table* ledger = subtable(root, "ledger", table)) {
    const TomlTable entry(*ledger, origin, "[ledger]");
    entry.only({"dataset"});
    schema.dataset = entry.required_text("dataset", "Name the dataset of the ledger that counts what is spent.");
    if (schema.dataset.empty()) entry.fail("dataset", "dataset must not be empty");
  }
  validate(schema);
  return schema;
}

Schema parse_schema(std::string_view toml_text, std::string_view origin) {
  return schema_of(parse_toml(toml_text, origin), origin);
}

}  // namespace dperm::schema
