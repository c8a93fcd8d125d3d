// SPDX-License-Identifier: Apache-2.0
// One line of a ledger. Lines are only ever added, and each carries a digest over itself and the one before, so that
// a changed line, or a ledger that was restored and went on, shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dperm/core/words.hpp"

namespace dperm::ledger {

enum class EntryKind {
  create,   // the ledger itself
  enlist,   // a dataset with its cap
  reserve,  // what a request costs: spent from here on, whatever happens
  settle,   // the request came to its end
  look,     // records were used without protection
  publish,  // the owner declares a result of a look published
  enter,    // the owner enters what was spent before, or without, the ledger
};

struct Entry {
  std::uint64_t number = 0;  // from 1
  EntryKind kind = EntryKind::create;
  std::string dataset = {};  // empty: of the ledger itself
  // The day, for people; nothing follows from it. Not the hour, and no day at all for the end of a request: how long a
  // request took may depend on records, and on numbers that must stay secret (how often a tuned fit ran).
  std::string date = {};
  std::string nonce = {};  // random: two copies of a ledger that go on alike still part
  std::string body = {};   // JSON
  std::string previous = {}, digest = {};
  bool operator==(const Entry&) const = default;
};

// What the digest of an entry has to be.
std::string digest_of(const Entry& entry);

// The number of the first entry that does not follow from the one before it; 0 where all do.
std::uint64_t first_broken(const std::vector<Entry>& entries);

// The date of a new entry: 2026-11-16, in UTC; empty for the end of a request.
std::string date_of(EntryKind kind);

}  // namespace dperm::ledger

template <>
struct dperm::Words<dperm::ledger::EntryKind> {
  using enum ledger::EntryKind;
  static constexpr std::array table = {
      std::pair{create, std::string_view("create")},   std::pair{enlist, std::string_view("register")},
      std::pair{reserve, std::string_view("reserve")}, std::pair{settle, std::string_view("settle")},
      std::pair{look, std::string_view("look")},       std::pair{publish, std::string_view("publish")},
      std::pair{enter, std::string_view("enter")}};
};
