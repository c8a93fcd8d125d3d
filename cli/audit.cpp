// SPDX-License-Identifier: Apache-2.0
// dperm audit: attacks releases that dperm makes, and says how far the attacks come.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/audit_flags.hpp"
#include "cli/commands.hpp"
#include "dperm/core/error.hpp"

namespace dperm::cli {

namespace {

void run(const AuditFlags& flags) {
  check_audit_flags(flags);
  throw ArgumentError("name what to attack");
}

}  // namespace

void add_audit(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("audit", "Attack dperm's own releases: a lower bound beside the proved epsilon");
  command->require_subcommand(0, 1);
  auto flags = std::make_shared<AuditFlags>();
  add_audit_flags(*command, *flags);
  add_audit_membership(*command);
  add_audit_reconstruction(*command);
  command->callback([flags, command] {
    if (command->get_subcommands().empty()) run(*flags);
  });
}

}  // namespace dperm::cli
