// SPDX-License-Identifier: Apache-2.0
// dperm schema init: a template of a schema, from names and types alone.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/json_text.hpp"
#include "cli/ledger_flags.hpp"
#include "cli/output_file.hpp"
#include "cli/table_flags.hpp"
#include "cli/task_flags.hpp"
#include "cli/text.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/rules.hpp"
#include "dperm/schema/template.hpp"

namespace dperm::cli {

namespace {

struct InitFlags : TableFlags {
  std::string output, target;
  bool json = false;
  LedgerFlags ledger;
};

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("column{}", i));
  return names;
}

// A first line of numbers is a record: its values would be published as names.
void check_names(const TableFlags& flags, const std::vector<data::RawColumn>& columns) {
  const bool libsvm = !columns.empty() && columns.front().name == "label";  // there, names are indices
  if (flags.header || libsvm) return;
  const auto is_value = [](const data::RawColumn& column) { return !std::isnan(schema::parse_number(column.name)); };
  const auto is_empty = [](const data::RawColumn& column) { return column.name.empty(); };
  auto found = std::find_if(columns.begin(), columns.end(), is_value);
  if (found == columns.end() && std::all_of(columns.begin(), columns.end(), is_empty)) found = columns.begin();
  if (found == columns.end()) return;
  throw ArgumentError(
      fmt::format("{}: the first line looks like a record, not like column names (column {} is a number or empty). If "
                  "it is a record, "
                  "say --no-header, so that its values stay out of the schema; if these are names, say --header",
                  flags.paths.front(), found - columns.begin() + 1));
}

// A single "column" that holds another separator is a table read with the wrong one.
void check_delimiter(const TableFlags& flags, const std::vector<data::RawColumn>& columns) {
  if (columns.size() != 1) return;
  const std::size_t found = columns.front().name.find_first_of(";|\t");
  if (found == std::string::npos) return;
  const char other = columns.front().name[found];
  throw ArgumentError(fmt::format("{}: the first line is one column, but holds '{}'; say --delimiter {}",
                                  flags.paths.front(), other == '\t' ? "\\t" : std::string(1, other),
                                  other == '\t' ? "'\\t'" : fmt::format("'{}'", other)));
}

// Names that a schema can use: not empty, and no two alike.
std::vector<std::string> usable_names(const std::vector<data::RawColumn>& columns) {
  std::set<std::string> taken;
  for (const data::RawColumn& column : columns) taken.insert(column.name);
  std::set<std::string> used;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string name = columns[i].name.empty() ? fmt::format("column{}", i + 1) : columns[i].name;
    for (int copy = 2; used.contains(name) || (name != columns[i].name && taken.contains(name)); ++copy) {
      name = fmt::format("{}_{}", columns[i].name.empty() ? "column" : columns[i].name, copy);
    }
    used.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

bool same_names(const std::vector<data::RawColumn>& columns, const std::vector<std::string>& names) {
  return std::equal(columns.begin(), columns.end(), names.begin(), names.end(),
                    [](const data::RawColumn& column, const std::string& name) { return column.name == name; });
}

// A header that repeats or leaves out names is replaced by the schema's own list: no command could tell them apart.
void rename(const TableFlags& flags, RawTable& table) {
  if (table.columns.size() > 1 && table.columns.front().name.empty() &&
      std::none_of(table.columns.begin() + 1, table.columns.end(),
                   [](const auto& column) { return column.name.empty(); })) {
    table.columns.erase(table.columns.begin());
    table.remark = "The first column has no name, as the index that pandas writes: it is not read.";
  }
  const bool index = !table.remark.empty();
  const std::vector<std::string> names = usable_names(table.columns);
  if (same_names(table.columns, names)) return;
  table.format.header = false;
  table.format.skip_rows = 1;
  table.format.column_names = names;
  if (index) table.format.column_names.insert(table.format.column_names.begin(), "index");
  std::vector<data::RawColumn> again = data::read_columns(flags.paths, table.format, flags.format);
  if (index && !again.empty()) again.erase(again.begin());
  if (!same_names(again, names)) {
    throw DataError(fmt::format("{}: two columns have the same name, or one has none; give each a name of its own",
                                flags.paths.front()));
  }
  table.columns = std::move(again);
  table.remark +=
      fmt::format("{}The header repeats a name or leaves one out: column_names gives each its own.", index ? " " : "");
  note(fmt::format("{}: the header repeats a name or leaves one out; the schema gives such columns names of their own",
                   flags.paths.front()));
}

char delimiter_of(const TableFlags& flags) {
  const auto delimiter = schema::delimiter_from(flags.format == "tsv" ? "tab" : flags.delimiter);
  if (delimiter) return *delimiter;
  throw ArgumentError(fmt::format("--delimiter must be one character, or \\t; got '{}'", flags.delimiter));
}

}  // namespace

RawTable table_of(const TableFlags& flags) {
  RawTable table;
  table.format.delimiter = delimiter_of(flags);
  if (flags.format == "csv" || flags.format == "tsv") table.format.file = "csv";
  if (flags.format == "libsvm") table.format.file = "libsvm";
  table.columns = data::read_columns(flags.paths, table.format, flags.format);
  check_delimiter(flags, table.columns);
  if (!flags.no_header) {
    check_names(flags, table.columns);
    rename(flags, table);
    return table;
  }
  table.format.header = false;
  table.format.column_names = numbered_names(table.columns.size());
  table.columns = data::read_columns(flags.paths, table.format, flags.format);
  return table;
}

void add_table_flags(CLI::App& command, TableFlags& flags) {
  command
      .add_option("DATA", flags.paths,
                  "CSV, Parquet, Arrow or LIBSVM files; the first one counts for names; - is\nstandard input")
      ->type_name("FILE")
      ->required();
  command.add_option("--format", flags.format, kFormatHelp)->type_name("KIND");
  command.add_option("--delimiter", flags.delimiter, "column separator of text files; \\t is a tab")
      ->type_name("CHARACTER")
      ->capture_default_str();
  auto* header =
      command.add_flag("--header", flags.header, "text files: the first line holds names, even if they are numbers");
  command.add_flag("--no-header", flags.no_header, "text files: the first line is a record")->excludes(header);
}

namespace {

void check_target(const InitFlags& flags, const RawTable& table) {
  std::vector<std::string_view> names;
  for (const data::RawColumn& column : table.columns) names.push_back(column.name);
  if (flags.target.empty() || std::find(names.begin(), names.end(), flags.target) != names.end()) return;
  throw ArgumentError(fmt::format("--target: {} has no column '{}'{}", flags.paths.front(), flags.target,
                                  did_you_mean(flags.target, names)));
}

std::string as_json(const std::vector<data::RawColumn>& columns) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& column : columns) {
    list.push_back({{"name", column.name}, {"type", column.identifier ? "identifier" : column.type}});
  }
  return json_text(nlohmann::ordered_json{{"private", false}, {"columns", list}}) + "\n";
}

void check_utf8(const InitFlags& flags, const std::vector<data::RawColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    // The JSON writer knows what UTF-8 is: it replaces what is not.
    const nlohmann::json name = columns[i].name;
    if (nlohmann::json::parse(json_text(name, -1)) == name) continue;
    throw DataError(fmt::format("{}: the name of column {} is not UTF-8; save the file as UTF-8 and run again",
                                flags.paths.front(), i + 1));
  }
}

void run_init(const InitFlags& flags) {
  check_output(flags.output, flags.paths);
  std::error_code ignored;
  if (!flags.output.empty() && std::filesystem::exists(flags.output, ignored)) {
    throw ArgumentError(fmt::format(
        "--output {} exists, and a template would overwrite what was filled in; give another path", flags.output));
  }
  note_look(flags.ledger, "", "schema init");
  const RawTable table = table_of(flags);
  check_utf8(flags, table.columns);
  check_target(flags, table);
  std::vector<schema::TemplateColumn> wanted;
  for (const auto& column : table.columns) {
    wanted.push_back({column.name, column.type, column.identifier, column.style, column.date_formats});
  }
  const std::string text =
      flags.json ? as_json(table.columns) : schema::schema_template(wanted, table.format, flags.target, table.remark);
  note("Kinds are judged by the first records and NOT private: this is for the owner of the data only.");
  if (flags.output.empty()) {
    fmt::print("{}", text);
    return;
  }
  model::write_file_atomically(flags.output, text);
  note(
      fmt::format("{} written. Fill in every bound from documentation, not from the data; then dperm schema check "
                  "tells what would ruin a model.",
                  flags.output));
}

void add_init(CLI::App& schema) {
  CLI::App* command = schema.add_subcommand("init", "Write a template: names and types, every bound left to fill in");
  auto flags = std::make_shared<InitFlags>();
  add_table_flags(*command, *flags);
  command->add_option("-o,--output", flags->output, "where to write; default standard output")->type_name("FILE");
  command->add_option("--target", flags->target, "the column to predict: it gets no [[column]] entry")
      ->type_name("NAME");
  command->add_flag("--json", flags->json, "print names and types as JSON");
  add_ledger_flags(*command, flags->ledger);
  command->callback([flags] { run_init(*flags); });
}

}  // namespace

void add_schema(CLI::App& app) {
  CLI::App* command = app.add_subcommand("schema", "Write or check the public description of a table");
  command->require_subcommand(1);
  add_init(*command);
  add_schema_infer(*command);
  add_schema_check(*command);
}

}  // namespace dperm::cli
