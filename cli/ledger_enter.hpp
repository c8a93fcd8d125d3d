// SPDX-License-Identifier: Apache-2.0
// dperm ledger enter: what was spent on a table before it had a ledger.
#pragma once

namespace CLI {
class App;
}

namespace dperm::cli {

void add_ledger_enter(CLI::App& ledger);

}  // namespace dperm::cli
