// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/ledger.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "dperm/core/check.hpp"
#include "dperm/core/digest.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/core/utf8.hpp"
#include "dperm/ledger/database.hpp"
#include "dperm/ledger/refusal.hpp"
#include "dperm/random/bits.hpp"

namespace dperm::ledger {

namespace {

constexpr std::uint64_t kApplication = 0x6470656c;                   // "dpel", marks the file
constexpr const char* kMark = "PRAGMA application_id = 1685087596";  // kApplication
constexpr std::array kTables = {
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE entry(number INTEGER PRIMARY KEY, kind TEXT NOT NULL, dataset TEXT NOT NULL, date TEXT NOT NULL,"
    " nonce TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL, digest TEXT NOT NULL)",
    "CREATE TABLE result(entry INTEGER PRIMARY KEY, content TEXT NOT NULL)"};

std::string random_hex(random::BitSource& bits, int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += fmt::format("{:016x}", bits.next());
  return text;
}

std::string meta(const Database& database, const char* key) {
  Statement query(database, "SELECT value FROM meta WHERE key = ?");
  query.bind(1, std::string_view(key));
  return query.step() ? query.text(0) : "";
}

std::uint64_t application(const Database& database) {
  Statement query(database, "PRAGMA application_id");
  return query.step() ? query.number(0) : 0;
}

bool has_tables(const Database& database) {
  Statement query(database, "SELECT count(*) FROM sqlite_master");
  return application(database) != 0 || (query.step() && query.number(0) > 0);
}

// As it was made: a view or a trigger would change what entries say, or lose them, without breaking the chain.
bool has_only_our_tables(const Database& database) {
  Statement query(database, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL");
  std::size_t known = 0;
  while (query.step()) {
    if (std::find(kTables.begin(), kTables.end(), query.text(0)) == kTables.end()) return false;
    ++known;
  }
  return known == kTables.size();
}

void require_line(const std::string& text, std::size_t most, const char* message) {
  require(text.size() <= most && is_plain_line(text), message);
}

void require_name(const std::string& name) {
  constexpr const char* kMessage = "a dataset's name has 1 to 200 bytes of UTF-8 and no line breaks";
  require(!name.empty(), kMessage);
  require_line(name, 200, kMessage);
}

void require_note(const std::string& note) {
  constexpr const char* kMessage = "a note says in 1 to 500 bytes of UTF-8, without line breaks, what was spent";
  require(!note.empty(), kMessage);
  require_line(note, 500, kMessage);
}

void require_unit(const ProtectedUnit& unit) {
  require_line(unit.column, 200, "the column that tells persons apart is named in at most 200 bytes of UTF-8");
  for (const std::string& each : unit.missing) {
    require_line(each, 200, "a text that names nobody has at most 200 bytes of UTF-8 and no line breaks");
  }
}

void require_request_id(const std::string& id) {
  require_line(id, 200, "a request's name has at most 200 bytes of UTF-8 and no line breaks");
}

// A name that was given to another request is not given again.
void require_same_request(const DatasetState& state, const std::string& id, const std::string& digest) {
  for (const Reserved& each : state.requests) {
    require(each.request_id != id || each.request == digest,
            fmt::format("the request '{}' was another one (entry {} of the ledger); give this one a name of its own",
                        id, each.entry));
  }
}

const DatasetState& named(const std::map<std::string, DatasetState>& states, const std::string& name,
                          const std::string& path) {
  const auto found = states.find(name);
  if (found != states.end()) return found->second;
  std::vector<std::string_view> names;
  for (const auto& [each, state] : states) names.push_back(each);
  throw ArgumentError(fmt::format("ledger {} has no dataset '{}'{} Register it with dperm ledger register {} NAME",
                                  path, name, names.empty() ? "." : did_you_mean(name, names), path));
}

}  // namespace

Ledger::Ledger(const std::string& path, Access access) : database_(std::make_unique<Database>(path, access)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

const std::string& Ledger::path() const { return database_->path(); }

void Ledger::start() {
  if (application(*database_) != kApplication) {
    throw DataError(fmt::format("ledger {}: this file is no ledger; make one with dperm ledger create", path()));
  }
  if (!has_only_our_tables(*database_)) {
    throw DataError(
        fmt::format("ledger {}: it was changed: its tables are not those it was made with. Do not rely on it", path()));
  }
  id_ = meta(*database_, "id");
}

Ledger Ledger::open(const std::string& path) {
  Ledger ledger(path, Access::write);
  ledger.start();
  return ledger;
}

Ledger Ledger::open_to_read(const std::string& path) {
  Ledger ledger(path, Access::read);
  ledger.start();
  return ledger;
}

Ledger Ledger::create(const std::string& path) {
  // An empty file, or one with a journal, may be what is left of an earlier attempt: opening rolls it back.
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) throw DataError(fmt::format("ledger {}: cannot be made ({})", path, std::strerror(errno)));
  const bool unfinished = lseek(descriptor, 0, SEEK_END) == 0 || access((path + "-journal").c_str(), F_OK) == 0;
  const bool ours = !unfinished || fchmod(descriptor, 0600) == 0;
  close(descriptor);
  if (!ours) throw DataError(fmt::format("ledger {}: cannot be kept from other users", path));
  const auto taken = [&] {
    throw DataError(fmt::format("ledger {}: there is a file of this name already; give another path", path));
  };
  if (!unfinished) taken();
  Ledger ledger(path, Access::write);
  Transaction transaction(*ledger.database_, Access::write);
  if (has_tables(*ledger.database_)) taken();  // someone was faster, or it is another database
  ledger.database_->execute(kMark);
  for (const char* table : kTables) ledger.database_->execute(table);
  random::SecureBits bits;
  ledger.id_ = random_hex(bits, 2);
  Statement insert(*ledger.database_, "INSERT INTO meta VALUES ('id', ?)");
  insert.bind(1, ledger.id_).step();
  ledger.append({}, EntryKind::create, "", create_body(ledger.id_));
  transaction.commit();
  return ledger;
}

// In the open transaction; every entry stands on those that this transaction saw.
Entry Ledger::append(const std::vector<Entry>& before, EntryKind kind, const std::string& dataset, std::string body) {
  random::SecureBits bits;
  Entry entry{.number = before.size() + 1,
              .kind = kind,
              .dataset = dataset,
              .date = date_of(kind),
              .nonce = random_hex(bits, 2),
              .body = std::move(body),
              .previous = before.empty() ? "" : before.back().digest};
  entry.digest = digest_of(entry);
  Statement insert(*database_, "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, entry.number).bind(2, word(kind)).bind(3, entry.dataset).bind(4, entry.date).bind(5, entry.nonce);
  insert.bind(6, entry.body).bind(7, entry.previous).bind(8, entry.digest).step();
  return entry;
}

std::vector<Entry> Ledger::load() const {
  std::vector<Entry> entries;
  Statement query(*database_,
                  "SELECT number, kind, dataset, date, nonce, body, previous, digest FROM entry ORDER BY number");
  while (query.step()) {
    const auto kind = from_word<EntryKind>(query.text(1));
    if (!kind) throw DataError(fmt::format("ledger {}: entry {} is of an unknown kind", path(), query.number(0)));
    entries.push_back({query.number(0), *kind, query.text(2), query.text(3), query.text(4), query.text(5),
                       query.text(6), query.text(7)});
  }
  const std::uint64_t broken = first_broken(entries);
  if (broken > 0 || entries.empty()) {
    throw DataError(
        fmt::format("ledger {}: it was changed: entry {} does not follow from the one before it. Do not "
                    "rely on its totals; dperm ledger check says more",
                    path(), std::max<std::uint64_t>(broken, 1)));
  }
  if (entries.front().body != create_body(id_)) {
    throw DataError(fmt::format("ledger {}: it was changed: its first entry is that of another ledger", path()));
  }
  return entries;
}

std::vector<Entry> Ledger::entries() const { return load(); }
std::map<std::string, DatasetState> Ledger::states() const { return states_of(load(), path()); }
DatasetState Ledger::state(const std::string& dataset) const { return named(states(), dataset, path()); }

void Ledger::enlist(const std::string& dataset, const Cap& cap) {
  require_name(dataset);
  require_unit(cap.unit);
  const Cap whole = checked(cap);
  Transaction transaction(*database_, Access::write);
  const std::vector<Entry> before = load();
  require(!states_of(before, path()).contains(dataset),
          fmt::format("the dataset '{}' is registered already, and its cap cannot be changed", dataset));
  append(before, EntryKind::enlist, dataset, cap_body(whole));
  transaction.commit();
}

void Ledger::require_room(const std::string& dataset, double epsilon, double delta) const {
  const DatasetState known = state(dataset);
  if (is_hopeless(known, epsilon, delta))
    throw BudgetError(refusal(known, path(), {.command = "", .epsilon = epsilon, .delta = delta}));
}

// [proof ledger.reserve]
Mark Ledger::reserve(const std::string& dataset, const Request& request) {
  // A cap is never changed, so what a request costs need not be found out while others wait.
  require_request_id(request.id);
  const DatasetState known = state(dataset);
  require_same_unit(known, request.unit);
  Reserved reserved{.command = request.command,
                    .request_id = request.id,
                    .request = request.id.empty() ? "" : request_digest(dataset, request.text),
                    .events = request.events,
                    .delta = request.delta,
                    .cost = cost_of(known.cap, request.events, request.epsilon, request.delta),
                    .about = request.about};
  std::optional<DatasetState> refused;
  {
    Transaction transaction(*database_, Access::write);
    const std::vector<Entry> before = load();
    DatasetState state = named(states_of(before, path()), dataset, path());
    if (!request.id.empty()) require_same_request(state, request.id, reserved.request);
    for (const SharedRelease& each : request.shared) {
      require(each.epsilon >= 0 && std::isfinite(each.epsilon) && each.delta >= 0 && each.delta < 1,
              "a release that others share costs an epsilon and a delta of 0 or more");
      if (!state.shared.contains(each.id)) reserved.shared.push_back(each);
    }
    if (affords(state, reserved)) {
      const Entry entry = append(before, EntryKind::reserve, dataset, reserve_body(reserved));
      transaction.commit();
      return {id_, dataset, entry.number, entry.digest};
    }
    refused = std::move(state);
  }
  throw BudgetError(refusal(*refused, path(), request));
}
// [/proof]

Mark Ledger::enter(const std::string& dataset, const Earlier& earlier) {
  require_note(earlier.note);
  const bool costs = earlier.epsilon > 0 || earlier.delta > 0;
  require(costs || earlier.unprotected, "earlier spending has an epsilon or a delta above 0");
  Transaction transaction(*database_, Access::write);
  std::vector<Entry> entries = load();
  const DatasetState state = named(states_of(entries, path()), dataset, path());
  if (const std::uint64_t counted = entry_of(state, earlier.release); counted > 0) {
    throw ArgumentError(fmt::format("this release is counted already, by entry {} of the ledger", counted));
  }
  const std::size_t before = entries.size();
  const auto add = [&](EntryKind kind, std::string body) {
    entries.push_back(append(entries, kind, dataset, std::move(body)));
  };
  if (earlier.unprotected) {
    add(EntryKind::look, look_body("a model without protection, entered: " + earlier.note, true, earlier.release));
  }
  if (costs) {
    Reserved entered{.command = "enter",
                     .events = earlier.events,
                     .delta = earlier.delta,
                     .cost = cost_of(state.cap, earlier.events, earlier.epsilon, earlier.delta),
                     .note = earlier.note,
                     .release = earlier.release};
    for (const SharedRelease& each : earlier.shared) {
      if (!state.shared.contains(each.id)) entered.shared.push_back(each);
    }
    add(EntryKind::enter, reserve_body(entered));
  }
  transaction.commit();
  return {id_, dataset, entries[before].number, entries[before].digest};
}

void Ledger::settle(const Mark& mark, std::string_view result, const std::string& release) {
  Transaction transaction(*database_, Access::write);
  append(load(), EntryKind::settle, mark.dataset, settle_body(mark.entry, digest(result), release));
  Statement insert(*database_, "INSERT INTO result VALUES (?, ?)");
  insert.bind(1, mark.entry).bind(2, result).step();
  transaction.commit();
}

std::optional<std::string> Ledger::result(const std::string& dataset, const std::string& request_id,
                                          const std::string& text) const {
  if (request_id.empty()) return std::nullopt;
  require_request_id(request_id);
  const DatasetState known = state(dataset);
  require_same_request(known, request_id, request_digest(dataset, text));
  std::optional<std::string> found;
  for (const Reserved& each : known.requests) {
    if (each.request_id != request_id || each.settled == 0) continue;
    found = kept_result(each);
    if (!found) {
      throw DataError(
          fmt::format("ledger {}: it was changed: what it kept for entry {} is not what was made", path(), each.entry));
    }
  }
  return found;
}

std::optional<std::string> Ledger::kept_result(const Reserved& request) const {
  Statement query(*database_, "SELECT content FROM result WHERE entry = ?");
  query.bind(1, request.entry);
  if (!query.step()) return std::nullopt;
  std::string content = query.text(0);
  if (digest(content) != request.result) return std::nullopt;
  return content;
}

Mark Ledger::look(const std::string& dataset, const std::string& what, bool makes_model) {
  Transaction transaction(*database_, Access::write);
  const std::vector<Entry> before = load();
  named(states_of(before, path()), dataset, path());
  const Entry entry = append(before, EntryKind::look, dataset, look_body(what, makes_model));
  transaction.commit();
  return {id_, dataset, entry.number, entry.digest};
}

void Ledger::publish(std::uint64_t look) {
  Transaction transaction(*database_, Access::write);
  const std::vector<Entry> before = load();
  for (const auto& [name, state] : states_of(before, path())) {
    for (const Look& each : state.looks) {
      if (each.entry != look) continue;
      append(before, EntryKind::publish, name, publish_body(look));
      transaction.commit();
      return;
    }
  }
  throw ArgumentError(fmt::format("entry {} is no look without protection; dperm ledger history lists them", look));
}

std::string request_digest(const std::string& dataset, std::string_view text) {
  return digest(fmt::format("{}\n{}", dataset, text));
}

}  // namespace dperm::ledger
