// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/entry.hpp"

#include <fmt/core.h>

#include <ctime>

#include "dperm/core/digest.hpp"

namespace dperm::ledger {

std::string digest_of(const Entry& entry) {
  // No field but the last may hold a line break, so that no two entries give the same text.
  return digest(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", entry.previous, entry.number, word(entry.kind), entry.dataset,
                            entry.date, entry.nonce, entry.body));
}

std::uint64_t first_broken(const std::vector<Entry>& entries) {
  std::string previous;
  std::uint64_t number = 1;
  for (const Entry& entry : entries) {
    if (entry.number != number || entry.previous != previous || entry.digest != digest_of(entry)) return number;
    previous = entry.digest;
    ++number;
  }
  return 0;
}

std::string date_of(EntryKind kind) {
  if (kind == EntryKind::settle) return "";
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "";
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts));
}

}  // namespace dperm::ledger
