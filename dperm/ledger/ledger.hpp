// SPDX-License-Identifier: Apache-2.0
// A file that counts what is spent on the tables of one owner. What a request costs is on the disk before noise is
// drawn, and nothing takes it back. Notes: filter.md (what the cap promises), ledger.md (what a crash leaves).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/ledger/entry.hpp"
#include "dperm/ledger/filter.hpp"
#include "dperm/ledger/state.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::ledger {

class Database;
enum class Access;

// What is to be released about a dataset. All of it is known before noise is drawn and none of it depends on records.
struct Request {
  std::string command;  // "fit"
  // The caller's own name for the request, and its words: the same name twice must mean the same words.
  std::string id = {}, text = {};
  std::vector<privacy::PrivacyEvent> events = {};  // empty: known by their epsilon and delta only
  double epsilon = 0, delta = 0;                   // of all events together
  ProtectedUnit unit = {};
  std::vector<SharedRelease> shared = {};  // that it rests on: counted if they are not yet
  std::string about = {};                  // of a fit: see earlier.hpp
  // The same request at another epsilon, for saying what would fit; empty where that is not cheap.
  std::function<std::vector<privacy::PrivacyEvent>(double epsilon)> at = {};
};

// What was spent on a dataset before it had a ledger, or without it.
struct Earlier {
  std::string note;                                // what it was, for people
  std::string release = {};                        // a digest of what was released: the same one counts once
  std::vector<privacy::PrivacyEvent> events = {};  // empty: known by their epsilon and delta only
  double epsilon = 0, delta = 0;                   // of all events together
  std::vector<SharedRelease> shared = {};          // that it rests on: counted if they are not yet
  bool unprotected = false;                        // also, or without events only, a look that made a model
};

// Where a request is counted. A model carries it.
struct Mark {
  std::string ledger, dataset;
  std::uint64_t entry = 0;
  std::string head;  // the entry's digest
};

class Ledger {
 public:
  // Makes a new file, readable by its owner only. Throws DataError where there is one.
  static Ledger create(const std::string& path);
  // Throws DataError for a file that is none, that was changed, or that lies where locks do not work.
  static Ledger open(const std::string& path);
  // Not for reserve and the like; the file may be read-only.
  static Ledger open_to_read(const std::string& path);
  Ledger(Ledger&&) noexcept;
  ~Ledger();

  const std::string& path() const;
  const std::string& id() const { return id_; }

  // The cap and the currency cannot be changed later. Throws ArgumentError for a name that is taken.
  void enlist(const std::string& dataset, const Cap& cap);

  std::vector<Entry> entries() const;
  std::map<std::string, DatasetState> states() const;
  DatasetState state(const std::string& dataset) const;  // ArgumentError for a name that is not registered

  // Throws BudgetError where such a request would be refused whatever its releases: nothing is written, and it costs
  // nothing. For refusing before a record is read.
  void require_room(const std::string& dataset, double epsilon, double delta) const;

  // Checks and charges in one transaction; on the disk when it returns. Throws BudgetError, and spends nothing, where
  // the cap does not allow it: that depends on the ledger and the request alone. Throws DataError where the file
  // cannot be written: no noise may then be drawn, and the request may or may not be counted as spent.
  Mark reserve(const std::string& dataset, const Request& request);
  // The request came to its end: `result` is kept for whoever asks again under the same id. `release` names a release
  // that later requests may rest on.
  void settle(const Mark& mark, std::string_view result, const std::string& release = {});
  // Counts earlier spending. No cap refuses it, because it happened: what is spent may then be more than the cap, which
  // allows nothing any more. What was unprotected is written down as a look, whose mark is returned. Throws
  // ArgumentError, and writes nothing, where this release is counted already.
  Mark enter(const std::string& dataset, const Earlier& earlier);
  // The result of the settled request of this name; nothing where there is none. Throws ArgumentError where the name
  // was given to another request, DataError where the result was changed.
  std::optional<std::string> result(const std::string& dataset, const std::string& request_id,
                                    const std::string& text) const;

  // Records are about to be used without protection. Charged to no cap, and shown beside every total.
  Mark look(const std::string& dataset, const std::string& what, bool makes_model = false);
  // The owner declares that the result of this look is published. Throws ArgumentError for another entry.
  void publish(std::uint64_t look);

  // What is wrong with the file: its pages, its chain, costs that do not follow from events. Empty where nothing is.
  std::vector<std::string> problems() const;

 private:
  Ledger(const std::string& path, Access access);
  std::vector<Entry> load() const;
  std::optional<std::string> kept_result(const Reserved& request) const;  // nothing: not what was settled
  Entry append(const std::vector<Entry>& before, EntryKind kind, const std::string& dataset, std::string body);
  void start();

  std::unique_ptr<Database> database_;
  std::string id_;
};

// A digest of a request's words.
std::string request_digest(const std::string& dataset, std::string_view text);

}  // namespace dperm::ledger
