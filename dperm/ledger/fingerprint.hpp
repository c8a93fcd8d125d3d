// SPDX-License-Identifier: Apache-2.0
// Digests of tables, by which an owner finds the same table under two names. They are exact: whoever holds them and
// guesses a whole table, to the last record, can check the guess. So they are kept only where the owner asks for it,
// and never in the ledger: in a file beside it, LEDGER.fingerprints, that says what it is and can be deleted at any
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/ledger/ledger.hpp"

namespace dperm::ledger {

struct Fingerprint {
  std::string dataset, kind, value;
  std::uint64_t entry = 0;  // of the ledger, under which the table was used; 0: where it was registered
  bool operator==(const Fingerprint&) const = default;
};
using Fingerprints = std::vector<Fingerprint>;

class FingerprintFile {
 public:
  // Makes the file, readable by its owner only. DataError where there is one.
  static FingerprintFile create(const Ledger& ledger);
  // Nothing where the owner has not asked for it. DataError for a file that is none, or that belongs to another ledger.
  static std::optional<FingerprintFile> find(const Ledger& ledger);
  // The same for what needs it. ArgumentError that says how to ask for it.
  static FingerprintFile needed(const Ledger& ledger);

  const std::string& path() const { return path_; }
  const std::string& key() const { return key_; }
  // A line that was cut short is passed over.
  const Fingerprints& all() const { return all_; }
  void add(const Fingerprints& fingerprints) const;

 private:
  FingerprintFile(std::string path, std::string key) : path_(std::move(path)), key_(std::move(key)) {}

  std::string path_, key_;
  Fingerprints all_ = {};
};

// Data-dependent, all of it: kept in that file, and in no ledger, entry, export, model or message of a fit.
std::string keyed_digest(const std::string& key, std::string_view content);

// Of a file's bytes; empty where it cannot be read a second time, as standard input.
std::string file_fingerprint(const std::string& key, const std::string& path);
// Of encoded rows, whatever their order, file and format; empty where they have none.
Sensitive<std::string> row_fingerprint(const std::string& key, const data::Dataset& rows);

// What a fit leaves for the owner who asked for it; for others no digest is computed. `rows` makes that of its rows. A
// help: whether it works changes nothing that anyone sees.
void remember_table(const Ledger& ledger, const Mark& mark, const std::vector<std::string>& files,
                    const std::function<std::string(const std::string& key)>& rows);

// Which names hold what `ours` holds, in words. For the owner: not private.
std::vector<std::string> same_tables(const Fingerprints& ours, const Fingerprints& all);

}  // namespace dperm::ledger
