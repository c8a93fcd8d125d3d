// SPDX-License-Identifier: Apache-2.0
// Digests of tables under the ledger's key: the same table under another name shows, to the owner alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dperm::ledger {

// Data-dependent: kept in the ledger, and in no entry, export, model or message of a fit.
std::string keyed_digest(const std::string& key, std::string_view content);

// Of a file's bytes; empty where it cannot be read a second time, as standard input.
std::string file_fingerprint(const std::string& key, const std::string& path);

}  // namespace dperm::ledger
