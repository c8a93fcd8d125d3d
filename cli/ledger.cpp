// SPDX-License-Identifier: Apache-2.0
// dperm ledger: makes the file that counts what is spent, registers datasets with their caps, and shows what is left.
#include "dperm/ledger/ledger.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/json_text.hpp"
#include "cli/ledger_enter.hpp"
#include "cli/ledger_flags.hpp"
#include "cli/ledger_text.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/ledger/earlier.hpp"
#include "dperm/ledger/fingerprint.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"

namespace dperm::cli {

namespace {

struct FileFlags {
  std::string path, dataset;
  bool json = false;
};

struct RegisterFlags : FileFlags {
  ledger::Cap cap;
  std::string currency = "basic", neighbours = "replace-one", schema, unit;
  std::optional<double> delta;
  std::vector<std::string> data, missing = schema::TextFormat{}.missing;
};

struct CheckFlags : FileFlags {
  std::vector<std::string> models;
};

template <class Enum>
Enum parsed(const char* flag, const std::string& text) {
  if (const auto value = from_word<Enum>(text)) return *value;
  std::string words;
  for (const auto& [value, each] : Words<Enum>::table) words += fmt::format("{}{}", words.empty() ? "" : ", ", each);
  throw ArgumentError(fmt::format("{} is one of {}; got '{}'", flag, words, text));
}

void run_create(const FileFlags& flags) {
  const ledger::Ledger made = ledger::Ledger::create(flags.path);
  if (flags.json) {
    fmt::print("{{\"ledger\": \"{}\"}}\n", made.id());
    return;
  }
  note(
      fmt::format("{0} made, readable by you only. Register each table once: dperm ledger register {0} NAME --epsilon "
                  "E --delta D",
                  flags.path));
}

void run_fingerprints(const FileFlags& flags) {
  const auto made = ledger::FingerprintFile::create(ledger::Ledger::open(flags.path));
  if (flags.json) fmt::print("{}\n", json_text(nlohmann::ordered_json{{"fingerprints", made.path()}}));
  note(fmt::format(
      "{} made, readable by you only. Fits with this ledger leave exact digests of their records in it from "
      "now on, and they are NOT private: who has the file and all records of a table but one can find out "
      "that one by trying. Keep it as you keep the tables, and delete it when you no longer need it.",
      made.path()));
}

// What the table looks like that is about to be registered.
ledger::Fingerprints fingerprints_of(const RegisterFlags& flags, const std::string& key) {
  ledger::Fingerprints found;
  for (const std::string& path : flags.data) {
    found.push_back({flags.dataset, "file", ledger::file_fingerprint(key, path)});
  }
  if (flags.schema.empty()) return found;
  const auto encoding = std::make_shared<const schema::Encoding>(schema::read_schema(flags.schema));
  const data::Dataset rows = data::read_dataset(flags.data, encoding, {});
  found.push_back({flags.dataset, "rows", DeclaredPublicAccess::open(ledger::row_fingerprint(key, rows))});
  return found;
}

void run_register(RegisterFlags flags) {
  flags.cap.currency = parsed<ledger::Currency>("--currency", flags.currency);
  flags.cap.neighbours = parsed<privacy::Neighbours>("--neighbours", flags.neighbours);
  flags.cap.unit = ledger::unit_of(schema::Unit{flags.unit}, flags.missing);
  require(flags.delta.has_value() || flags.cap.currency == ledger::Currency::pure,
          "a cap needs --delta, for all uses together (such as 1e-5), or --currency pure, which has none");
  flags.cap.delta = flags.delta.value_or(0);
  require(flags.schema.empty() || !flags.data.empty(), "--schema goes with --data");
  ledger::Ledger opened = ledger::Ledger::open(flags.path);
  std::optional<ledger::FingerprintFile> kept;
  if (!flags.data.empty()) kept = ledger::FingerprintFile::needed(opened);
  const ledger::Fingerprints ours = kept ? fingerprints_of(flags, kept->key()) : ledger::Fingerprints();
  opened.enlist(flags.dataset, flags.cap);
  if (kept) {
    for (const std::string& line : ledger::same_tables(ours, kept->all())) note("WARNING: " + line);
    note("Whether tables are alike was found out from the records themselves: that is for you, and NOT private.");
    kept->add(ours);
  }
  const ledger::DatasetState state = opened.state(flags.dataset);
  if (flags.json) {
    fmt::print("{}\n", dataset_json(state));
    return;
  }
  fmt::print("{}", dataset_text(state));
  note(fmt::format("Registered. Every use of this table: --ledger {} --dataset {}", flags.path, flags.dataset));
}

void run_show(const FileFlags& flags) {
  const ledger::Ledger opened = ledger::Ledger::open_to_read(flags.path);
  std::map<std::string, ledger::DatasetState> states = opened.states();
  if (!flags.dataset.empty()) states = {{flags.dataset, opened.state(flags.dataset)}};
  fmt::print("{}", flags.json ? ledger_json(opened, states) : ledger_text(opened, states));
}

void run_history(const FileFlags& flags) {
  const ledger::Ledger opened = ledger::Ledger::open_to_read(flags.path);
  if (!flags.dataset.empty()) opened.state(flags.dataset);
  for (const ledger::Entry& entry : opened.entries()) {
    if (!flags.dataset.empty() && entry.dataset != flags.dataset) continue;
    fmt::print("{}\n", flags.json ? entry_json(entry) : entry_text(entry));
  }
}

// All entries with their digests, for whoever wants to count again; no results.
void run_export(const FileFlags& flags) {
  const ledger::Ledger opened = ledger::Ledger::open_to_read(flags.path);
  fmt::print("{}", export_json(opened));
}

// Whether the ledger has the entry that a model says it was counted under.
std::string fork_problem(const ledger::Ledger& opened, const std::vector<ledger::Entry>& entries,
                         const std::string& path) {
  const model::Model model = model::read_model(path);
  if (ledger::is_entered(opened, model) || ledger::is_counted(opened, model)) return "";
  if (!model.ledger)
    return fmt::format("{}: the model was not counted by any ledger; dperm ledger enter counts it", path);
  const model::LedgerMark& mark = *model.ledger;
  if (mark.ledger != opened.id()) return fmt::format("{}: the model was counted by another ledger", path);
  const bool there = mark.entry >= 1 && mark.entry <= entries.size() && entries[mark.entry - 1].digest == mark.head;
  if (there) {
    return fmt::format("{}: entry {} of the ledger counted another model than this; dperm ledger enter counts it", path,
                       mark.entry);
  }
  return fmt::format(
      "{}: this ledger does not have the model's entry {}: it was restored from an older copy or changed, "
      "and what was spent since is not in it",
      path, mark.entry);
}

void run_check(const CheckFlags& flags) {
  const ledger::Ledger opened = ledger::Ledger::open_to_read(flags.path);
  std::vector<std::string> problems = opened.problems();
  if (problems.empty()) {
    const std::vector<ledger::Entry> entries = opened.entries();
    for (const std::string& path : flags.models) {
      const std::string problem = fork_problem(opened, entries, path);
      if (!problem.empty()) problems.push_back(problem);
    }
  }
  std::optional<std::vector<std::string>> alike;
  if (const auto kept = ledger::FingerprintFile::find(opened)) alike = ledger::same_tables(kept->all(), kept->all());
  if (flags.json) {
    fmt::print("{}\n", check_json(problems, alike));
  } else {
    for (const std::string& line : alike.value_or(std::vector<std::string>())) fmt::print("ALIKE: {}\n", line);
    if (problems.empty()) fmt::print("The ledger is whole: pages, chain and costs follow from its entries.\n");
  }
  note(alike ? "Which tables are alike depends on the records: it is for you, and NOT private."
             : "No fingerprints of tables are kept, so the same table under two names does not show (docs/ledger.md).");
  if (problems.empty()) return;
  throw DataError(fmt::format("{}", fmt::join(problems, "\n")));
}

void run_publish(const FileFlags& flags, std::uint64_t entry) {
  ledger::Ledger::open(flags.path).publish(entry);
  note("Noted. No epsilon is true of this dataset any more, and its cap allows nothing.");
}

std::shared_ptr<FileFlags> add_file(CLI::App& command,
                                    std::shared_ptr<FileFlags> flags = std::make_shared<FileFlags>()) {
  command.add_option("LEDGER", flags->path, "the ledger's file")->type_name("FILE")->required();
  command.add_flag("--json", flags->json, "print JSON");
  return flags;
}

void add_register(CLI::App& ledger) {
  CLI::App* command = ledger.add_subcommand("register", "Add a dataset with the cap on what may be spent on it");
  auto flags = std::make_shared<RegisterFlags>();
  add_file(*command, flags);
  command->add_option("NAME", flags->dataset, "a name for the table; the same people are one dataset")
      ->type_name("NAME")
      ->required();
  add_number(*command, "--epsilon", flags->cap.epsilon, "the cap, for all uses together; cannot be changed")
      ->required();
  add_number(*command, "--delta", flags->delta, "its delta; none with the currency pure");
  command
      ->add_option("--currency", flags->currency,
                   "what adds up: basic (epsilons and deltas), pure (epsilons, delta 0),\n"
                   "gaussian (many Gaussian releases), renyi (Gaussian, sampled and pure ones)")
      ->type_name("WORD")
      ->capture_default_str();
  command->add_option("--unit", flags->unit, "the cap protects persons, told apart by this column; default: rows")
      ->type_name("COLUMN");
  command
      ->add_option(
          "--missing", flags->missing,
          "with --unit: texts in it that name nobody; default: those of a schema\nthat says nothing in [format]")
      ->type_name("TEXT");
  command->add_option("--neighbours", flags->neighbours, "replace-one or add-remove")
      ->type_name("WORD")
      ->capture_default_str();
  command
      ->add_option("--data", flags->data,
                   "look whether the table is known under another name (not private; needs\ndperm ledger fingerprints)")
      ->type_name("FILE");
  command->add_option("--schema", flags->schema, "with --data: compare encoded rows too, in any order and format")
      ->type_name("FILE");
  command->callback([flags] { run_register(*flags); });
}

void add_check(CLI::App& ledger) {
  CLI::App* command = ledger.add_subcommand("check", "Whether the file is whole, and has the entries of models");
  auto flags = std::make_shared<CheckFlags>();
  add_file(*command, flags);
  command->add_option("MODEL", flags->models, "models whose entries it must have: a restored copy shows")
      ->type_name("FILE");
  command->callback([flags] { run_check(*flags); });
}

void add_publish(CLI::App& ledger) {
  CLI::App* command =
      ledger.add_subcommand("publish", "Declare that the result of a look without protection was published");
  auto entry = std::make_shared<std::size_t>(0);
  const auto flags = add_file(*command);
  add_integer(*command, "--entry", *entry, "the look's number, as dperm ledger history shows it")->required();
  command->callback([flags, entry] { run_publish(*flags, *entry); });
}

}  // namespace

void add_ledger(CLI::App& app) {
  CLI::App* command = app.add_subcommand("ledger", "Count what is spent on a table, and refuse more than its cap");
  command->require_subcommand(1);
  {
    CLI::App* create = command->add_subcommand("create", "Make a ledger: one for all tables of an owner");
    create->callback([flags = add_file(*create)] { run_create(*flags); });
  }
  add_register(*command);
  add_ledger_enter(*command);
  const auto add_reader = [&](const char* name, const char* help, void (*run)(const FileFlags&), bool by_dataset) {
    CLI::App* reader = command->add_subcommand(name, help);
    const auto flags = add_file(*reader);
    if (by_dataset) {
      reader->add_option("NAME", flags->dataset, "one dataset; default: all")->type_name("NAME");
    }
    reader->callback([flags, run] { run(*flags); });
  };
  add_reader("show", "What is spent, what is left, and what an attacker gains", run_show, true);
  add_reader("history", "Every entry, oldest first", run_history, true);
  add_reader("export", "All entries with their digests as JSON, to be counted again", run_export, false);
  add_check(*command);
  add_publish(*command);
  add_reader("fingerprints",
             "Keep exact digests of tables beside the ledger, to find the same table under two names (not private)",
             run_fingerprints, false);
}

}  // namespace dperm::cli
