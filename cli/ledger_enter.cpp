// SPDX-License-Identifier: Apache-2.0
#include "cli/ledger_enter.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "cli/ledger_text.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/ledger/earlier.hpp"
#include "dperm/model/model_json.hpp"

namespace dperm::cli {

namespace {

struct EnterFlags {
  std::string path, dataset, note;
  std::vector<std::string> models;
  std::optional<double> epsilon, delta;
  bool json = false;
};

void check_flags(const EnterFlags& flags) {
  require(flags.models.empty() == flags.epsilon.has_value(),
          "name the model files of what was published, or say what it cost with --epsilon, --delta and --note");
  if (!flags.models.empty()) {
    require(!flags.delta, "--delta goes with --epsilon; a model file says itself what it cost");
    return;
  }
  require(!flags.note.empty(), "--note says what was published, such as --note 'means of 2023, report 7'");
  require(*flags.epsilon >= 0 && std::isfinite(*flags.epsilon),
          "--epsilon is a number of 0 or more: what was published without noise has none, and no cap holds for it");
}

ledger::Mark enter_one(ledger::Ledger& ledger, const EnterFlags& flags, const std::string& path,
                       const model::Model& model) {
  const std::string note = flags.note.empty() ? path : fmt::format("{} ({})", flags.note, path);
  try {
    return ledger::enter_model(ledger, flags.dataset, model, note);
  } catch (const ArgumentError& error) {
    throw ArgumentError(fmt::format("{}: {}", path, error.what()));
  } catch (const BudgetError& error) {
    throw BudgetError(fmt::format("{}: {}", path, error.what()));
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", path, error.what()));
  }
}

void enter_models(ledger::Ledger& ledger, const EnterFlags& flags) {
  std::vector<model::Model> models;  // all are read before the first is counted
  for (const std::string& path : flags.models) models.push_back(model::read_model(path));
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ledger::Mark mark = enter_one(ledger, flags, flags.models[i], models[i]);
    if (models[i].is_private) continue;
    note(
        fmt::format("WARNING: {} is not private, and no epsilon counts it: it is written down as a look. If it was "
                    "published, say so: dperm ledger publish {} --entry {}",
                    flags.models[i], flags.path, mark.entry));
  }
}

void run(const EnterFlags& flags) {
  check_flags(flags);
  ledger::Ledger ledger = ledger::Ledger::open(flags.path);
  ledger.state(flags.dataset);  // an unknown name is refused before anything else
  if (flags.models.empty()) {
    ledger.enter(flags.dataset, {.note = flags.note, .epsilon = *flags.epsilon, .delta = flags.delta.value_or(0)});
  } else {
    enter_models(ledger, flags);
  }
  const ledger::DatasetState state = ledger.state(flags.dataset);
  fmt::print("{}", flags.json ? dataset_json(state) + "\n" : dataset_text(state));
  if (!ledger::within(state.cap, state.sum)) {
    note("WARNING: more is spent than the cap promises. What was published cannot be taken back; nothing more fits.");
  }
}

}  // namespace

void add_ledger_enter(CLI::App& ledger) {
  CLI::App* command =
      ledger.add_subcommand("enter", "Count what was published before the ledger: from model files, or by hand");
  auto flags = std::make_shared<EnterFlags>();
  command->add_option("LEDGER", flags->path, "the ledger's file")->type_name("FILE")->required();
  command->add_option("NAME", flags->dataset, "the dataset that it was spent on")->type_name("NAME")->required();
  command->add_option("MODEL", flags->models, "models made from it; bounds that several rest on count once")
      ->type_name("FILE");
  add_number(*command, "--epsilon", flags->epsilon, "by hand: what a publication cost");
  add_number(*command, "--delta", flags->delta, "its delta; default 0");
  command->add_option("--note", flags->note, "what it was; needed with --epsilon")->type_name("TEXT");
  command->add_flag("--json", flags->json, "print JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
