// SPDX-License-Identifier: Apache-2.0
// What every verb of dperm audit shares: which rows it attacks, and what it owes their owner. An audit prints numbers
// that are computed from rows without protection, so real ones need --unsafe, and a ledger notes the look.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/ledger_flags.hpp"
#include "cli/task_flags.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/schema/encoding.hpp"

namespace CLI {
class App;
}

namespace dperm::cli {

struct AuditFlags {
  std::shared_ptr<TaskFlags> task;
  DataFlags data;          // real records; none: made-up rows
  std::size_t rows = 0;    // made-up rows; 0: as the verb says
  std::uint64_t seed = 1;  // of made-up rows and of the attack's own noise
  double confidence = 0.999;
  bool unsafe = false, json = false;
  LedgerFlags ledger;
};

// Adds --data, --unsafe, --rows, --seed, --confidence, --threads, --json and the flags of a task, none of them
// required; `flags` must live as long as the command.
void add_audit_flags(CLI::App& command, AuditFlags& flags);

// Refuses real records without --unsafe, and other contradictions, before anything is read (ArgumentError).
void check_audit_flags(const AuditFlags& flags);

// The rows to attack: the real ones, after the ledger has noted that `verb` looks at them and a warning has said so, or
// `default_rows` made-up ones of this schema.
data::Dataset audit_dataset(const AuditFlags& flags, std::shared_ptr<const schema::Encoding> encoding,
                            const std::string& verb, std::size_t default_rows);

// What the numbers were computed from, for the end of every report.
std::string audit_release_text(const AuditFlags& flags);

}  // namespace dperm::cli
