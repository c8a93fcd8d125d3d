// SPDX-License-Identifier: Apache-2.0
// dperm schema infer: fills in what a schema lacks, from a codebook without cost and from the records privately.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/ledger_flags.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/table_flags.hpp"
#include "cli/text.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/whole_file.hpp"
#include "dperm/data/identifiers.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/infer/known.hpp"
#include "dperm/ledger/bits_after.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/random/bits_for.hpp"

namespace dperm::cli {

namespace {

struct InferFlags {
  TableFlags table;
  infer::Known known;
  std::string schema_path, output;
  std::optional<double> epsilon;
  double delta = 1e-7;
  std::string unit;
  std::size_t unit_rows = 0, threads = 0;
  std::optional<std::uint64_t> seed;
  LedgerFlags ledger;
  std::string request;  // what was asked, in words
};

schema::Draft draft_of(const InferFlags& flags) {
  if (!flags.schema_path.empty()) return schema::Draft::parse(whole_file(flags.schema_path), flags.schema_path);
  // By the format alone: that a record names a column would tell of it.
  if (data::records_name_columns(flags.table.paths, {}, flags.table.format)) {
    throw ArgumentError(
        fmt::format("{}: which columns a LIBSVM file has depends on its records; name them by documentation in a "
                    "--schema, such as range = [1, 123]",
                    flags.table.paths.front()));
  }
  const RawTable table = table_of(flags.table);
  std::vector<std::string> names, unsupported;
  for (const data::RawColumn& column : table.columns) {
    names.push_back(column.name);
    if (column.type == "unsupported") unsupported.push_back(column.name);
  }
  schema::Draft draft = schema::Draft::of_columns(names, table.format);
  for (const std::string& name : unsupported) draft.ignore(name);
  return draft;
}

void require_epsilon(const InferFlags& flags, const std::vector<schema::Blank>& blanks) {
  if (flags.epsilon) return;
  std::vector<std::string> names;
  for (const schema::Blank& blank : blanks) names.push_back(blank.name);
  throw ArgumentError(
      fmt::format("{} without bounds or values: {}. Name the budget for finding them out, such as --epsilon 0.2, or "
                  "describe them in a --codebook, which costs nothing",
                  counted(names.size(), "column"), fmt::join(names, ", ")));
}

// What is to be asked of the records, as the ledger counts it: with a fixed seed a look, else its whole budget.
ledger::Mark reserve(const InferFlags& flags, const std::string& asked, const ledger::ProtectedUnit& unit,
                     Counted& counted) {
  if (flags.seed) return counted.ledger.look(counted.dataset, "schema infer --seed", true);
  return counted.ledger.reserve(counted.dataset, {.command = "schema infer",
                                                  .id = flags.ledger.request_id,
                                                  .text = asked,
                                                  .epsilon = *flags.epsilon,
                                                  .delta = flags.delta,
                                                  .unit = unit});
}

// Asks the records; what that costs is on the disk before the first random bit is drawn.
infer::Filled filled_from(const InferFlags& flags, schema::Draft draft, const std::string& asked,
                          std::optional<Counted>& counted) {
  const auto bits = random::bits_for(flags.seed);
  const std::optional<schema::Unit> unit = draft.unit();
  const ledger::ProtectedUnit who = ledger::unit_of(unit, draft.format().missing);
  std::optional<ledger::Mark> mark;
  ledger::BitsAfter counted_bits(*bits, [&] {
    if (counted) mark = reserve(flags, asked, who, *counted);
  });
  if (counted && !flags.seed) counted->ledger.require_room(counted->dataset, *flags.epsilon, flags.delta);
  const data::RawTable table{flags.table.paths, draft.format(), static_cast<int>(flags.threads), flags.table.format,
                             unit};
  infer::Filled filled = infer::fill(std::move(draft), table, {*flags.epsilon, flags.delta}, counted_bits);
  if (mark && !flags.seed) settle(*counted, *mark, schema::to_toml(filled.schema), filled.schema.inferred.back().id);
  return filled;
}

std::string list_of(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

void check_place(const InferFlags& flags) {
  std::vector<std::string> inputs = flags.table.paths;
  inputs.push_back(flags.schema_path);
  inputs.push_back(flags.known.codebook);
  check_output(flags.output, inputs);
  std::error_code ignored;
  if (!flags.output.empty() && std::filesystem::exists(flags.output, ignored)) {
    throw ArgumentError(fmt::format(
        "--output {} exists, and may be the record of what was spent on a table; give another path", flags.output));
  }
  if (flags.output.empty() && flags.epsilon) {
    throw ArgumentError("name the schema file with --output: otherwise budget would be spent on a schema that is lost");
  }
}

// The same for every release: what it told is in the schema.
void note_target(const schema::Target& target) {
  if (target.inferred.empty()) return;
  if (!target.positive.empty()) {
    note("The target's rarer value counts as positive; any other, or none, is negative. --positive chooses.");
  } else if (!target.values.empty()) {
    note(
        wrapped("The target's classes are those that are common. Rows with a rarer one, or none, count as the first "
                "class of the schema: list it there (docs/infer.md) or leave such rows out.",
                100));
  }
}

void note_left_out(const infer::Filled& filled) {
  if (!filled.left_out.empty()) {
    note(wrapped(
        fmt::format("Left out, because nothing in them was common enough to be told: {}.", list_of(filled.left_out)),
        100));
  }
  if (!filled.identifiers.empty()) {
    note(
        wrapped(fmt::format("Left out, because they seem to tell persons or records apart: {}. If a person has several "
                            "rows, say so with --unit NAME --unit-rows K.",
                            list_of(filled.identifiers)),
                100));
  }
}

void run(const InferFlags& flags) {
  check_place(flags);
  schema::Draft draft = draft_of(flags);
  infer::Known known = flags.known;
  if (!flags.unit.empty()) {
    require(flags.unit_rows > 0,
            fmt::format("--unit {} needs --unit-rows: how many rows of one person count", flags.unit));
    known.unit = {flags.unit, static_cast<std::uint32_t>(std::min<std::size_t>(flags.unit_rows, UINT32_MAX))};
  }
  infer::describe(draft, known);
  if (draft.lacks_target()) {
    throw ArgumentError(
        fmt::format("{}: [target] still says FILL IN: name the column to predict with --target, or take "
                    "[target] out for a table without one. Nothing was asked of the records",
                    flags.schema_path));
  }
  infer::Filled filled;
  const std::vector<schema::Blank> blanks = draft.blanks();
  std::optional<model::ReservedFile> reserved;
  if (!flags.output.empty()) reserved.emplace(flags.output, std::size_t{1} << 20);
  if (blanks.empty()) {
    filled.schema = draft.finish();
  } else {
    require_epsilon(flags, blanks);
    std::optional<Counted> counted = counted_by(flags.ledger, draft.dataset());
    const std::string asked = flags.request + "\n" + draft.text();  // with what draft and codebook say
    if (counted) {
      if (const auto kept = counted->ledger.result(counted->dataset, flags.ledger.request_id, asked)) {
        const std::string elsewhere = reserved->write(*kept, false);
        note(
            fmt::format("{} written from the ledger; nothing is spent.", elsewhere.empty() ? flags.output : elsewhere));
        return;
      }
    }
    if_interrupted(
        fmt::format("No schema is written, but noise may have been drawn: count epsilon {:g}, delta {:g} as spent.",
                    *flags.epsilon, flags.delta));
    filled = filled_from(flags, std::move(draft), asked, counted);
    if (counted) note(ledger_line(*counted));
  }
  const std::string text = schema::to_toml(filled.schema);
  std::string written = flags.output;
  if (!reserved) {
    fmt::print("{}", text);
  } else if (const std::string elsewhere = reserved->write(text, false); !elsewhere.empty()) {
    written = elsewhere;
  }
  if (!blanks.empty()) {
    note(fmt::format("Spent: epsilon {:g}, delta {:g} on {}. A fit adds its own epsilon to it.", *flags.epsilon,
                     flags.delta, counted(blanks.size(), "column")));
  }
  note_left_out(filled);
  note_target(filled.schema.target);
  if (flags.seed) note("WARNING: made with a fixed seed: what was released is NOT private");
  if (!written.empty())
    note(fmt::format("{0} written. Look it over, ask dperm schema check, then: dperm fit ... --schema {0}", written));
}

}  // namespace

void add_schema_infer(CLI::App& schema) {
  CLI::App* command =
      schema.add_subcommand("infer", "Fill in bounds and values: from a codebook, and privately from the records");
  auto flags = std::make_shared<InferFlags>();
  add_table_flags(*command, flags->table);
  command->add_option("-o,--output", flags->output, "where to write the schema")->type_name("FILE");
  add_number(*command, "--epsilon", flags->epsilon, "budget for what is asked of the records; adds to that of a fit");
  add_number(*command, "--delta", flags->delta, "its delta; default 1e-7");
  command
      ->add_option("--schema", flags->schema_path,
                   "a schema with FILL IN, or without bounds and values: what it has is kept;\n"
                   "default: every column of the table")
      ->type_name("FILE");
  command
      ->add_option("--codebook", flags->known.codebook,
                   "CSV with the columns column, lower, upper, values (a|b|c): bounds and values\n"
                   "from documentation, free of cost")
      ->type_name("FILE");
  command->add_option("--target", flags->known.target, "the column to predict")->type_name("COLUMN");
  command->add_option("--target-kind", flags->known.target_kind, "binary, real or class; default: found out")
      ->type_name("KIND")
      ->needs("--target");
  command->add_option("--positive", flags->known.positive, "value of a binary target that counts as +1")
      ->type_name("VALUE");
  command->add_option("--ignore", flags->known.ignored, "columns to leave out, divided by commas")
      ->delimiter(',')
      ->type_name("COLUMNS");
  command->add_option("--unit", flags->unit, "the column that tells persons apart, where a person has several rows")
      ->type_name("COLUMN");
  add_integer(*command, "--unit-rows", flags->unit_rows, "how many rows of one person count")->needs("--unit");
  add_integer(*command, "--threads", flags->threads, "number of threads; default all cores");
  add_integer(*command, "--seed", flags->seed, "reproducible noise for tests: what is released is NOT private");
  add_ledger_flags(*command, flags->ledger);
  add_request_id(*command, flags->ledger);
  command->callback([flags, command] {
    flags->request = request_text(*command);
    run(*flags);
  });
}

}  // namespace dperm::cli
