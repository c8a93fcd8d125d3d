// SPDX-License-Identifier: Apache-2.0
// One function per subcommand: declares its options and what runs when it is called.
#pragma once

namespace CLI {
class App;
}

namespace dperm::cli {

void add_fit(CLI::App& app);
void add_predict(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_plan(CLI::App& app);
void add_verify(CLI::App& app);
void add_sign(CLI::App& app);
void add_explain(CLI::App& app);
void add_report(CLI::App& app);
void add_schema(CLI::App& app);
void add_schema_infer(CLI::App& schema);
void add_schema_check(CLI::App& schema);
void add_account(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_ledger(CLI::App& app);
void add_audit(CLI::App& app);
void add_audit_membership(CLI::App& audit);
void add_audit_reconstruction(CLI::App& audit);

}  // namespace dperm::cli
