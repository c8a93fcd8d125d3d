// SPDX-License-Identifier: Apache-2.0
// dperm schema check: what in the data does not fit the schema, and what will ruin a model. For the owner of the data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/alarm_text.hpp"
#include "cli/commands.hpp"
#include "cli/json_text.hpp"
#include "cli/ledger_flags.hpp"
#include "cli/output_file.hpp"
#include "cli/task_flags.hpp"
#include "cli/text.hpp"
#include "dperm/core/error.hpp"
#include "dperm/data/inspect.hpp"

namespace dperm::cli {

namespace {

struct CheckFlags {
  std::string schema_path;
  DataFlags data;
  LedgerFlags ledger;
  bool json = false, strict = false;
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

nlohmann::ordered_json as_json(const data::Inspection& found, const schema::Schema& schema) {
  using Json = nlohmann::ordered_json;
  Json alarms = Json::array(), classes = Json::array(), columns = Json::array();
  for (const data::Alarm& alarm : found.alarms) {
    Json entry{{"kind", word(alarm.kind)}, {"column", alarm.column}};
    if (!alarm.other.empty()) entry["other"] = alarm.other;
    if (!alarm.value.empty()) entry["value"] = alarm.value;
    entry["rows"] = alarm.count;
    entry["message"] = alarm_text(alarm, found, schema);
    alarms.push_back(std::move(entry));
  }
  for (const data::ClassCount& each : found.classes) classes.push_back({{"class", each.label}, {"rows", each.rows}});
  for (const data::ColumnCheck& column : found.report.columns) {
    columns.push_back({{"name", column.name},
                       {"missing", column.missing},
                       {"unreadable", column.unreadable},
                       {"out_of_bounds", column.out_of_bounds},
                       {"unknown_values", column.unknown_values}});
  }
  Json result{{"rows", found.report.rows}, {"private", false},   {"irregular_lines", found.report.irregular_lines},
              {"alarms", alarms},          {"classes", classes}, {"columns", columns}};
  if (found.report.unit) result["unit"] = unit_json(*schema.unit, *found.report.unit);
  return result;
}

std::string irregular_text(std::size_t lines) {
  return fmt::format(
      "{} of text {} not as the others: too few or too many cells, a quote left open, or empty. Each is a record all "
      "the "
      "same: what it lacks is missing. An empty line at the end of a file counts too; skip_last_rows = 1 in [format] "
      "leaves it out",
      counted(lines, "line"), lines == 1 ? "is" : "are");
}

void print_tables(const data::Inspection& found, const schema::Schema& schema) {
  for (const data::Alarm& alarm : found.alarms) {
    fmt::print("{}\n", red(wrapped("ALARM: " + alarm_text(alarm, found, schema), 100, 7)));
  }
  if (found.alarms.empty()) fmt::print("No alarm.\n");
  fmt::print("\n{}\n", counted(found.report.rows, "row"));
  if (found.report.irregular_lines > 0) {
    fmt::print("{}\n", wrapped(irregular_text(found.report.irregular_lines), 100, 0));
  }
  if (!found.classes.empty()) {
    fmt::print("target '{}':", schema.target.name);
    for (std::size_t k = 0; k < found.classes.size(); ++k) {
      fmt::print("{} {} in {}", k == 0 ? "" : ",", found.classes[k].label, counted(found.classes[k].rows, "row"));
    }
    fmt::print("\n");
  }
  fmt::print("{:<32}{:>12}{:>12}{:>14}{:>16}\n", "column", "missing", "unreadable", "out of bounds", "unknown values");
  for (const data::ColumnCheck& column : found.report.columns) {
    fmt::print("{:<32}{:>12}{:>12}{:>14}{:>16}\n", column.name, column.missing, column.unreadable, column.out_of_bounds,
               column.unknown_values);
  }
  if (found.report.unit) fmt::print("{}", unit_text(*schema.unit, *found.report.unit));
}

void run(const CheckFlags& flags) {
  const auto encoding = load_encoding(flags.schema_path);
  note_look(flags.ledger, encoding->schema().dataset, "schema check");
  const data::Inspection found = data::inspect_dataset(flags.data.paths, *encoding, flags.data.read);
  note("These counts are exact and NOT private: they are for the owner of the data only.");
  if (flags.json) {
    fmt::print("{}\n", json_text(as_json(found, encoding->schema())));
  } else {
    print_tables(found, encoding->schema());
  }
  if (flags.strict && !found.alarms.empty()) {
    throw DataError(fmt::format("{}, and --strict was given", counted(found.alarms.size(), "alarm")));
  }
}

}  // namespace

void add_schema_check(CLI::App& schema) {
  CLI::App* command =
      schema.add_subcommand("check", "What ruins a model, cells that do not fit (for the owner; not private)");
  auto flags = std::make_shared<CheckFlags>();
  add_data_argument(*command, flags->data);
  command->add_option("--schema", flags->schema_path, "schema.toml: public bounds and categories")
      ->type_name("FILE")
      ->required();
  command->add_flag("--strict", flags->strict, "exit with status 3 when there is an alarm");
  command->add_flag("--json", flags->json, "print JSON");
  add_ledger_flags(*command, flags->ledger);
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
