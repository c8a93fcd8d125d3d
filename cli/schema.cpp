// SPDX-License-Identifier: Apache-2.0
// dperm schema init | check: writing a schema, and what in the data does not fit it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/task_flags.hpp"
#include "cli/text.hpp"
#include "dperm/core/error.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/template.hpp"

namespace dperm::cli {

namespace {

struct InitFlags {
  std::vector<std::string> paths;
  std::string output, delimiter = ",";
  bool json = false, header = false, no_header = false;
};

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("column{}", i));
  return names;
}

// A first line of numbers is a record: its values would be published as names.
void check_names(const InitFlags& flags, const std::vector<data::RawColumn>& columns) {
  const bool libsvm = !columns.empty() && columns.front().name == "label";  // there, names are indices
  if (flags.header || libsvm) return;
  const auto is_value = [](const data::RawColumn& column) {
    return column.name.empty() || !std::isnan(schema::parse_number(column.name));
  };
  const auto found = std::find_if(columns.begin(), columns.end(), is_value);
  if (found == columns.end()) return;
  throw ArgumentError(
      fmt::format("{}: the first line looks like a record, not like column names (column {} is a number or empty). If "
                  "it is a record, "
                  "say --no-header, so that its values stay out of the schema; if these are names, say --header",
                  flags.paths.front(), found - columns.begin() + 1));
}

// A single "column" that holds another separator is a table read with the wrong one.
void check_delimiter(const InitFlags& flags, const std::vector<data::RawColumn>& columns) {
  if (columns.size() != 1) return;
  const std::size_t found = columns.front().name.find_first_of(";|\t");
  if (found == std::string::npos) return;
  const char other = columns.front().name[found];
  throw ArgumentError(fmt::format("{}: the first line is one column, but holds '{}'; say --delimiter {}",
                                  flags.paths.front(), other == '\t' ? "\\t" : std::string(1, other),
                                  other == '\t' ? "$'\\t'" : fmt::format("'{}'", other)));
}

std::vector<data::RawColumn> columns_of(const InitFlags& flags, schema::TextFormat& format) {
  if (flags.delimiter.size() != 1) {
    throw ArgumentError(fmt::format("--delimiter must be one character; got '{}'", flags.delimiter));
  }
  format.delimiter = flags.delimiter[0];
  std::vector<data::RawColumn> columns = data::read_columns(flags.paths, format);
  check_delimiter(flags, columns);
  if (!flags.no_header) {
    check_names(flags, columns);
    return columns;
  }
  format.header = false;
  format.column_names = numbered_names(columns.size());
  return data::read_columns(flags.paths, format);
}

std::string as_json(const std::vector<data::RawColumn>& columns) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& column : columns) list.push_back({{"name", column.name}, {"type", column.type}});
  return list.dump(2) + "\n";
}

void check_utf8(const InitFlags& flags, const std::vector<data::RawColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    // The JSON writer knows what UTF-8 is: it replaces what is not.
    const nlohmann::json name = columns[i].name;
    if (nlohmann::json::parse(name.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) == name) continue;
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
  schema::TextFormat format;
  const std::vector<data::RawColumn> columns = columns_of(flags, format);
  check_utf8(flags, columns);
  std::vector<schema::TemplateColumn> wanted;
  for (const auto& column : columns) wanted.push_back({column.name, column.type});
  const std::string text = flags.json ? as_json(columns) : schema::schema_template(wanted, format);
  if (flags.output.empty()) {
    fmt::print("{}", text);
    return;
  }
  model::write_file_atomically(flags.output, text);
  note(fmt::format("{} written. Fill in every bound from documentation, not from the data.", flags.output));
}

struct CheckFlags {
  std::string schema_path;
  DataFlags data;
  bool json = false;
};

nlohmann::ordered_json unit_json(const schema::Unit& unit, const data::UnitCheck& check) {
  return {{"column", unit.column},
          {"rows", unit.rows},
          {"persons", check.persons},
          {"rows_without_identifier", check.without_identifier},
          {"rows_beyond_the_first", check.surplus},
          {"blank_rows", check.without_identifier + check.surplus},
          {"most_rows_of_one_person", check.most_rows}};
}

std::string unit_text(const schema::Unit& unit, const data::UnitCheck& check) {
  std::string text = fmt::format(
      "unit: {} persons by {}; {} will be blank: {} beyond the first {} of a person, {} without an identifier\n",
      check.persons, unit.column, counted(check.surplus + check.without_identifier, "row"), check.surplus, unit.rows,
      check.without_identifier);
  if (check.surplus > 0) {
    text += fmt::format("One person has {}. Noise grows with `rows`; blank rows teach nothing.\n",
                        counted(check.most_rows, "row"));
  } else if (check.most_rows < unit.rows) {
    text += fmt::format("Nobody has more than {}.\n", counted(check.most_rows, "row"));
  }
  return text;
}

void run_check(const CheckFlags& flags) {
  const auto encoding = load_encoding(flags.schema_path);
  const data::CheckReport report = data::check_dataset(flags.data.paths, *encoding, flags.data.read);
  note("These counts are exact and NOT private: they are for the owner of the data only.");
  if (flags.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& column : report.columns) {
      list.push_back({{"name", column.name},
                      {"missing", column.missing},
                      {"unreadable", column.unreadable},
                      {"out_of_bounds", column.out_of_bounds},
                      {"unknown_values", column.unknown_values}});
    }
    nlohmann::ordered_json json{{"rows", report.rows}, {"private", false}, {"columns", list}};
    if (report.unit) json["unit"] = unit_json(*encoding->schema().unit, *report.unit);
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{} rows\n{:<32}{:>12}{:>12}{:>14}{:>16}\n", report.rows, "column", "missing", "unreadable",
             "out of bounds", "unknown values");
  for (const auto& column : report.columns) {
    fmt::print("{:<32}{:>12}{:>12}{:>14}{:>16}\n", column.name, column.missing, column.unreadable, column.out_of_bounds,
               column.unknown_values);
  }
  if (report.unit) fmt::print("{}", unit_text(*encoding->schema().unit, *report.unit));
}

void add_init(CLI::App& schema) {
  CLI::App* command = schema.add_subcommand("init", "Write a template: names and types, every bound left to fill in");
  auto flags = std::make_shared<InitFlags>();
  command->add_option("DATA", flags->paths, "CSV, Parquet, Arrow or LIBSVM files; the first one counts")
      ->type_name("FILE")
      ->required();
  command->add_option("-o,--output", flags->output, "where to write; default standard output")->type_name("FILE");
  command->add_option("--delimiter", flags->delimiter, "column separator of text files")
      ->type_name("CHARACTER")
      ->capture_default_str();
  auto* header =
      command->add_flag("--header", flags->header, "text files: the first line holds names, even if they are numbers");
  command->add_flag("--no-header", flags->no_header, "text files: the first line is a record")->excludes(header);
  command->add_flag("--json", flags->json, "print names and types as JSON");
  command->callback([flags] { run_init(*flags); });
}

void add_check(CLI::App& schema) {
  CLI::App* command =
      schema.add_subcommand("check", "Say which columns hold cells that do not fit (for the owner; not private)");
  auto flags = std::make_shared<CheckFlags>();
  add_data_argument(*command, flags->data);
  command->add_option("--schema", flags->schema_path, "schema.toml: public bounds and categories")
      ->type_name("FILE")
      ->required();
  command->add_flag("--json", flags->json, "print JSON");
  command->callback([flags] { run_check(*flags); });
}

}  // namespace

void add_schema(CLI::App& app) {
  CLI::App* command = app.add_subcommand("schema", "Write or check the public description of a table");
  command->require_subcommand(1);
  add_init(*command);
  add_check(*command);
}

}  // namespace dperm::cli
