// SPDX-License-Identifier: Apache-2.0
// dperm schema init | check: writing a schema, and what in the data does not fit it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/question_flags.hpp"
#include "dperm/report/atomic_file.hpp"
#include "dperm/schema/template.hpp"

namespace dperm::cli {

namespace {

struct InitFlags {
  std::vector<std::string> paths;
  std::string output;
  char delimiter = ',';
  bool json = false;
};

void run_init(const InitFlags& flags) {
  schema::TextFormat format;
  format.delimiter = flags.delimiter;
  std::vector<schema::TemplateColumn> columns;
  for (const auto& column : data::read_columns(flags.paths, format)) columns.push_back({column.name, column.type});
  std::string text = schema::schema_template(columns, format);
  if (flags.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& column : columns) list.push_back({{"name", column.name}, {"type", column.type}});
    text = list.dump(2) + "\n";
  }
  if (flags.output.empty()) {
    fmt::print("{}", text);
  } else {
    report::write_file_atomically(flags.output, text);
    fmt::print(stderr, "{}: fill in every bound from documentation, not from the data\n", flags.output);
  }
}

struct CheckFlags {
  std::string schema_path;
  std::shared_ptr<DataFlags> data;
  bool json = false;
};

void run_check(const CheckFlags& flags) {
  const auto encoding = load_encoding(flags.schema_path);
  const data::CheckReport report = data::check_dataset(flags.data->paths, *encoding, flags.data->read);
  fmt::print(stderr, "These counts are exact and NOT private: they are for the owner of the data only.\n");
  if (flags.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& column : report.columns) {
      list.push_back({{"name", column.name},
                      {"missing", column.missing},
                      {"unreadable", column.unreadable},
                      {"out_of_bounds", column.out_of_bounds},
                      {"unknown_values", column.unknown_values}});
    }
    fmt::print("{}\n", nlohmann::ordered_json{{"rows", report.rows}, {"private", false}, {"columns", list}}.dump(2));
    return;
  }
  fmt::print("{} rows\n{:<32}{:>12}{:>12}{:>14}{:>16}\n", report.rows, "column", "missing", "unreadable",
             "out of bounds", "unknown values");
  for (const auto& column : report.columns) {
    fmt::print("{:<32}{:>12}{:>12}{:>14}{:>16}\n", column.name, column.missing, column.unreadable, column.out_of_bounds,
               column.unknown_values);
  }
}

void add_init(CLI::App& schema) {
  CLI::App* command = schema.add_subcommand("init", "Write a template: names and types, every bound left to fill in");
  auto flags = std::make_shared<InitFlags>();
  command->add_option("DATA", flags->paths, "data files")->required();
  command->add_option("-o,--output", flags->output, "where to write; default standard output");
  command->add_option("--delimiter", flags->delimiter, "column separator of text files")->capture_default_str();
  command->add_flag("--json", flags->json, "print names and types as JSON");
  command->callback([flags] { run_init(*flags); });
}

void add_check(CLI::App& schema) {
  CLI::App* command = schema.add_subcommand("check", "Say which columns hold cells that do not fit (for the data owner; not private)");
  auto flags = std::make_shared<CheckFlags>();
  flags->data = add_data_flags(*command);
  command->add_option("--schema", flags->schema_path, "schema.toml")->required();
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
