// SPDX-License-Identifier: Apache-2.0
#include "cli/audit_flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "dperm/audit/rows.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::cli {

void add_audit_flags(CLI::App& command, AuditFlags& flags) {
  flags.task = add_task_flags(command);
  for (const char* name : {"--schema", "--epsilon", "--delta"}) command.get_option(name)->required(false);
  constexpr const char* kGroup = "Rows to attack (docs/audit.md)";
  command
      .add_option(
          "--data", flags.data.paths,
          "real records instead of made-up ones; needs --unsafe, because what is\nprinted is computed from them "
          "without protection")
      ->type_name("FILE")
      ->group(kGroup);
  command.add_option("--format", flags.data.read.format, kFormatHelp)->type_name("KIND")->group(kGroup);
  command.add_flag("--unsafe", flags.unsafe, "these records may be looked at: the ledger notes it")->group(kGroup);
  add_integer(command, "--rows", flags.rows, "how many made-up rows; default: as the attack needs")->group(kGroup);
  command
      .add_option_function<std::string>(
          "--seed", [&flags](const std::string& text) { flags.seed = parse_integer("--seed", text); },
          "of made-up rows and of the attack's own choices; default 1")
      ->type_name("INTEGER")
      ->group(kGroup);
  add_number(command, "--confidence", flags.confidence, "of every lower bound; default 0.999");
  command
      .add_option_function<std::string>(
          "--threads",
          [&flags](const std::string& text) {
            flags.data.read.threads = static_cast<int>(std::min<std::uint64_t>(1024, parse_integer("--threads", text)));
          },
          "0, the default: all cores")
      ->type_name("INTEGER");
  command.add_flag("--json", flags.json, "print the result as JSON");
  add_ledger_flags(command, flags.ledger);
}

void check_audit_flags(const AuditFlags& flags) {
  require(flags.confidence > 0 && flags.confidence < 1, "--confidence must lie strictly between 0 and 1");
  if (flags.data.paths.empty()) {
    if (flags.unsafe) throw ArgumentError("--unsafe is about real records; name them with --data FILE");
    return;
  }
  if (!flags.unsafe) {
    throw ArgumentError(
        "an audit prints numbers that are computed from its rows without protection. It makes up rows of your schema "
        "by itself: leave --data out. If these records may be looked at, say so with --unsafe");
  }
  require(!flags.task->schema_path.empty(), "real records need their --schema");
  require(flags.rows == 0, "--rows is for made-up rows; leave it out with --data");
}

data::Dataset audit_dataset(const AuditFlags& flags, std::shared_ptr<const schema::Encoding> encoding,
                            const std::string& verb, std::size_t default_rows) {
  if (flags.data.paths.empty()) {
    random::SeededBits bits(flags.seed);
    const std::size_t rows = flags.rows > 0 ? flags.rows : default_rows;
    return audit::dataset_of(encoding, audit::synthetic_rows(*encoding, rows, bits));
  }
  note_look(flags.ledger, encoding->schema().dataset, verb);
  note(red_note("WARNING: what follows is computed from real records without protection. Publish none of it."));
  return data::read_dataset(flags.data.paths, std::move(encoding), flags.data.read);
}

std::string audit_release_text(const AuditFlags& flags) {
  if (flags.data.paths.empty()) return "All rows were made up: these numbers reveal nothing about anybody.";
  return "These numbers were computed from real records without protection: they are for the owner's eyes only.";
}

}  // namespace dperm::cli
