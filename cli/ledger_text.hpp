// SPDX-License-Identifier: Apache-2.0
// Ledgers in words and as JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dperm/ledger/ledger.hpp"

namespace dperm::cli {

using DatasetStates = std::map<std::string, ledger::DatasetState>;

// Numbers are rounded so that what is read is still true: spent upward, left downward.
std::string dataset_text(const ledger::DatasetState& state);
std::string dataset_json(const ledger::DatasetState& state);
std::string ledger_text(const ledger::Ledger& ledger, const DatasetStates& states);
std::string ledger_json(const ledger::Ledger& ledger, const DatasetStates& states);

std::string entry_text(const ledger::Entry& entry);
std::string entry_json(const ledger::Entry& entry);
std::string export_json(const ledger::Ledger& ledger);

// `alike` none: no fingerprints are kept.
std::string check_json(const std::vector<std::string>& problems, const std::optional<std::vector<std::string>>& alike);

}  // namespace dperm::cli
