// SPDX-License-Identifier: Apache-2.0
// Digests of tables under the ledger's key: the same table under another name shows, to the owner alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/ledger/ledger.hpp"

namespace dperm::ledger {

using Fingerprints = std::vector<Ledger::Fingerprint>;

// Data-dependent, all of it: kept in the ledger, and in no entry, export, model or message of a fit.
std::string keyed_digest(const std::string& key, std::string_view content);

// Of a file's bytes; empty where it cannot be read a second time, as standard input.
std::string file_fingerprint(const std::string& key, const std::string& path);
// Of encoded rows, whatever their order, file and format; empty where they have none.
Sensitive<std::string> row_fingerprint(const std::string& key, const data::Dataset& rows);
// Of a table that came from `files`, with the fingerprint of its rows.
Fingerprints table_fingerprints(const Ledger& ledger, const Mark& mark, const std::vector<std::string>& files,
                                const std::string& rows);

// A help for the owner: whether it works changes nothing that anyone sees.
void try_to_remember(Ledger& ledger, const Fingerprints& fingerprints);

// Which names hold what `ours` holds, in words. For the owner: not private.
std::vector<std::string> same_tables(const Fingerprints& ours, const Fingerprints& all);

}  // namespace dperm::ledger
