// SPDX-License-Identifier: Apache-2.0
#include "cli/ledger_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "cli/output_file.hpp"
#include "dperm/core/error.hpp"
#include "dperm/ledger/settlement.hpp"

namespace dperm::cli {

namespace {

// Do not change what is released.
constexpr std::array kNotAsked = {"--output", "--overwrite", "--json",    "--quiet",  "--details",    "--threads",
                                  "--tiles",  "--ledger",    "--dataset", "--report", "--request-id", "--help"};

}  // namespace

void add_ledger_flags(CLI::App& command, LedgerFlags& flags, const char* dataset_help) {
  command.add_option("--ledger", flags.path, "the file that counts what is spent, made by dperm ledger create")
      ->type_name("FILE")
      ->envname("DPERM_LEDGER")
      ->group(kLedgerGroup);
  command.add_option("--dataset", flags.dataset, dataset_help)
      ->type_name("NAME")
      ->envname("DPERM_DATASET")
      ->group(kLedgerGroup);
}

void add_request_id(CLI::App& command, LedgerFlags& flags) {
  command
      .add_option("--request-id", flags.request_id,
                  "your name for this request: asked again under it, a result that is there\n"
                  "is returned and costs nothing")
      ->type_name("TEXT")
      ->group(kLedgerGroup);
}

std::optional<Counted> counted_by(const LedgerFlags& flags, const std::string& schema_dataset) {
  const std::string dataset = flags.dataset.empty() ? schema_dataset : flags.dataset;
  if (!schema_dataset.empty() && dataset != schema_dataset) {
    throw ArgumentError(
        fmt::format("the schema says that these records are the dataset '{}', and --dataset (or "
                    "DPERM_DATASET) says '{}'; leave one of them out, or change [ledger] in the schema",
                    schema_dataset, dataset));
  }
  if (flags.path.empty()) {
    if (!flags.request_id.empty()) throw ArgumentError("--request-id needs a --ledger that keeps the result");
    if (dataset.empty()) return std::nullopt;
    throw ArgumentError(
        fmt::format("what is spent on the dataset '{}' is counted by a ledger; name it with --ledger FILE or in the "
                    "environment as DPERM_LEDGER",
                    dataset));
  }
  if (dataset.empty()) {
    throw ArgumentError(
        fmt::format("ledger {} counts by dataset; name the one that these records belong to with --dataset NAME, in "
                    "the environment as DPERM_DATASET or in the schema as [ledger] dataset",
                    flags.path));
  }
  Counted counted{ledger::Ledger::open(flags.path), dataset};
  counted.ledger.state(dataset);  // an unknown name is refused before anything else
  return counted;
}

void note_look(std::optional<Counted>& counted, const std::string& what) {
  if (counted) counted->ledger.look(counted->dataset, what);
}

void note_look(const LedgerFlags& flags, const std::string& schema_dataset, const std::string& what) {
  std::optional<Counted> counted = counted_by(flags, schema_dataset);
  note_look(counted, what);
}

std::string request_text(const CLI::App& command) {
  std::string text = command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = option->get_name();
    const auto is_named = [&](const char* each) { return option->check_name(each); };
    if (std::any_of(kNotAsked.begin(), kNotAsked.end(), is_named)) continue;
    text += fmt::format("\n{}={}", name, fmt::join(option->results(), "\t"));
  }
  return text;
}

model::LedgerMark model_mark(const ledger::Mark& mark) { return {mark.ledger, mark.dataset, mark.entry, mark.head}; }

std::vector<ledger::SharedRelease> shared_releases(const schema::Schema& schema) {
  std::vector<ledger::SharedRelease> shared;
  for (const schema::Inference& each : schema.inferred) shared.push_back({each.id, each.epsilon, each.delta});
  return shared;
}

void settle(Counted& counted, const ledger::Mark& mark, const std::string& result, const std::string& release) {
  const std::string problem = ledger::try_to_settle(counted.ledger, mark, result, release);
  if (!problem.empty()) note("WARNING: " + problem);
}

std::string ledger_line(const Counted& counted) {
  const ledger::DatasetState state = counted.ledger.state(counted.dataset);
  const ledger::Spent spent = ledger::spent(state);
  return fmt::format("Ledger {}: '{}' has spent epsilon {:.4g} of {:g}, delta {:.4g} of {:g}.", counted.ledger.path(),
                     counted.dataset, spent.epsilon, state.cap.epsilon, spent.delta, state.cap.delta);
}

}  // namespace dperm::cli
