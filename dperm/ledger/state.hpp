// SPDX-License-Identifier: Apache-2.0
// What the entries of a ledger come to for one dataset: plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dperm/ledger/entry.hpp"
#include "dperm/ledger/filter.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::ledger {

// A release that several requests rest on, such as inferred bounds: counted once.
struct SharedRelease {
  std::string id;
  double epsilon = 0, delta = 0;
  bool operator==(const SharedRelease&) const = default;
};

// A request as it was reserved, or earlier spending as it was entered.
struct Reserved {
  std::uint64_t entry = 0;
  std::string command = {};
  std::string request_id = {}, request = {};  // the caller's name for it, and a digest of what was asked
  std::vector<privacy::PrivacyEvent> events = {};
  double delta = 0;  // at which the events were accounted for
  Cost cost = {};
  std::vector<SharedRelease> shared = {};
  std::string about = {};               // of a fit: a digest of its plan and schema
  std::string note = {}, release = {};  // entered: what it was, and a digest of the model
  std::uint64_t settled = 0;            // by this entry; 0: not
  std::string result = {};              // settled: a digest of what was kept
};

struct Look {
  std::uint64_t entry = 0;
  std::string date = {}, what = {};
  bool makes_model = false;  // with a fixed seed, or with exact numbers: could be published
  bool published = false;
  std::string release = {};  // entered: a digest of the model
};

struct DatasetState {
  std::string name;
  Cap cap;
  std::vector<Reserved> requests = {};
  std::vector<Look> looks = {};
  std::set<std::string> shared = {};  // releases that are counted already
  Sum sum = {};
  bool unprotected = false;  // a result without protection was published: no epsilon is true any more
};

// What was spent; infinite once something unprotected was published.
Spent spent(const DatasetState& state);
// What a request may still ask for, of which only epsilon and delta are known.
Spent room(const DatasetState& state);

// The entry by which a release was entered, 0: none.
std::uint64_t entry_of(const DatasetState& state, const std::string& release);

// All datasets by name. Throws DataError for entries that cannot be understood; `origin` is named in messages.
std::map<std::string, DatasetState> states_of(std::span<const Entry> entries, const std::string& origin);

// Bodies of entries.
std::string create_body(const std::string& ledger_id);
std::string cap_body(const Cap& cap);
std::string reserve_body(const Reserved& request);
std::string settle_body(std::uint64_t reserve, const std::string& result_digest, const std::string& release_id);
std::string look_body(const std::string& what, bool makes_model, const std::string& release = {});
std::string publish_body(std::uint64_t look);

}  // namespace dperm::ledger
