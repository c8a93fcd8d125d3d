// SPDX-License-Identifier: Apache-2.0
// The ledger that counts what a command spends: how it is named, and what every command that opens records owes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dperm/ledger/ledger.hpp"
#include "dperm/model/model.hpp"
#include "dperm/schema/schema.hpp"

namespace CLI {
class App;
}

namespace dperm::cli {

struct LedgerFlags {
  std::string path, dataset;
  std::string request_id;  // of commands whose result the ledger keeps
};

inline constexpr const char* kLedgerGroup = "Ledger (docs/ledger.md)";

// --ledger and --dataset, also from DPERM_LEDGER and DPERM_DATASET; `flags` must live as long as the command.
void add_ledger_flags(
    CLI::App& command, LedgerFlags& flags,
    const char* dataset_help = "the ledger's name for these records; default: [ledger] of the schema");
void add_request_id(CLI::App& command, LedgerFlags& flags);

// A command's ledger, and the dataset that its records belong to.
struct Counted {
  ledger::Ledger ledger;
  std::string dataset;
};
// Nothing where no ledger is named. `schema_dataset` is the schema's own word for the dataset. Throws ArgumentError
// where only one of the two is named: spending that is meant to be counted must not go uncounted.
std::optional<Counted> counted_by(const LedgerFlags& flags, const std::string& schema_dataset = {});

// Writes down, before a record is read, that `what` uses records without protection.
void note_look(std::optional<Counted>& counted, const std::string& what);
// The same for a command that needs the ledger for nothing else.
void note_look(const LedgerFlags& flags, const std::string& schema_dataset, const std::string& what);

// What was asked, without where results go and how many threads work.
std::string request_text(const CLI::App& command);

model::LedgerMark model_mark(const ledger::Mark& mark);
std::vector<ledger::SharedRelease> shared_releases(const schema::Schema& schema);

// Keeps a result; where the ledger cannot be written the result is still the user's, and a warning says so.
void settle(Counted& counted, const ledger::Mark& mark, const std::string& result, const std::string& release = {});

// "Ledger x.db: 'people' has spent epsilon 1.2 of 2, delta 2e-6 of 1e-5."
std::string ledger_line(const Counted& counted);

}  // namespace dperm::cli
