// SPDX-License-Identifier: Apache-2.0
// The file that counts what is spent. Every call opens it: see ChargeTo.
#include "dperm/ledger.hpp"

#include "python/src/core.hpp"

namespace dperm::python {

namespace {

using Pair = std::pair<double, double>;

template <class Enum>
Enum named(const char* field, const std::string& text) {
  if (const auto value = from_word<Enum>(text)) return *value;
  std::string words;
  for (const auto& [value, each] : Words<Enum>::table) words += (words.empty() ? "" : ", ") + std::string(each);
  throw ArgumentError(field, "is one of " + words + "; got '" + text + "'");
}

void enlist(const std::string& path, const std::string& dataset, double epsilon, double delta,
            const std::string& currency, const std::string& unit,
            const std::optional<std::vector<std::string>>& missing, const std::string& neighbours) {
  LedgerCap cap{.epsilon = epsilon, .delta = delta, .currency = named<Currency>("currency", currency)};
  cap.unit = unit_of(schema::Unit{unit}, missing.value_or(schema::TextFormat{}.missing));
  cap.neighbours = named<privacy::Neighbours>("neighbours", neighbours);
  Ledger::open(path).enlist(dataset, cap);
}

// (number, kind, dataset, date, body as JSON)
using EntryTuple = std::tuple<std::uint64_t, std::string, std::string, std::string, std::string>;
std::vector<EntryTuple> entries_of(const std::string& path) {
  std::vector<EntryTuple> result;
  for (const ledger::Entry& each : Ledger::open_to_read(path).entries()) {
    result.emplace_back(each.number, std::string(word(each.kind)), each.dataset, each.date, each.body);
  }
  return result;
}

// (spent, remaining, cap, published without protection)
std::tuple<Pair, Pair, Pair, bool> state_of(const std::string& path, const std::string& dataset) {
  const LedgerState state = Ledger::open_to_read(path).state(dataset);
  const LedgerSpent used = ledger::spent(state), left = ledger::room(state);
  return {
      {used.epsilon, used.delta}, {left.epsilon, left.delta}, {state.cap.epsilon, state.cap.delta}, state.unprotected};
}

void enter_earlier(const std::string& path, const std::string& dataset, const std::optional<Model>& model,
                   double epsilon, double delta, const std::string& note) {
  Ledger ledger = Ledger::open(path);
  if (model) return enter({ledger, dataset}, *model, note);
  ledger.enter(dataset, {.note = note, .epsilon = epsilon, .delta = delta});
}

}  // namespace

// A result is worth more than a warning that somebody has turned into an error: that goes to sys.unraisablehook.
void ChargeTo::warn(const std::string& problem) {
  const nb::gil_scoped_acquire locked;
  const nb::object category = nb::module_::import_("dperm.errors").attr("SpendingWarning");
  if (PyErr_WarnEx(category.ptr(), problem.c_str(), 1) != 0) PyErr_WriteUnraisable(category.ptr());
}

void bind_ledger(nb::module_& module) {
  nb::class_<ChargeTo>(module, "Charge", "Who counts, and under which name.")
      .def(
          "__init__",
          [](ChargeTo* self, std::string path, std::string dataset, std::string request_id) {
            new (self) ChargeTo{std::move(path), std::move(dataset), std::move(request_id)};
          },
          nb::arg("path"), nb::arg("dataset"), nb::arg("request_id"))
      .def_ro("path", &ChargeTo::path)
      .def_ro("dataset", &ChargeTo::dataset);
  module.def(
      "ledger_create", [](const std::string& path) { return Ledger::create(path).id(); }, nb::arg("path"), Unlocked());
  module.def(
      "ledger_id", [](const std::string& path) { return Ledger::open_to_read(path).id(); }, nb::arg("path"),
      Unlocked());
  module.def("ledger_register", &enlist, nb::arg("path"), nb::arg("dataset"), nb::arg("epsilon"), nb::arg("delta"),
             nb::arg("currency"), nb::arg("unit"), nb::arg("missing").none(), nb::arg("neighbours"), Unlocked());
  module.def("ledger_state", &state_of, nb::arg("path"), nb::arg("dataset"), Unlocked());
  module.def("ledger_entries", &entries_of, nb::arg("path"), Unlocked());
  module.def(
      "ledger_problems", [](const std::string& path) { return problems(Ledger::open_to_read(path)); }, nb::arg("path"),
      Unlocked());
  module.def(
      "ledger_keep_fingerprints", [](const std::string& path) { keep_fingerprints(Ledger::open(path)); },
      nb::arg("path"), Unlocked());
  module.def(
      "ledger_same_tables", [](const std::string& path) { return same_tables(Ledger::open_to_read(path)); },
      nb::arg("path"), Unlocked());
  module.def("ledger_enter", &enter_earlier, nb::arg("path"), nb::arg("dataset"), nb::arg("model").none(),
             nb::arg("epsilon"), nb::arg("delta"), nb::arg("note"), Unlocked());
  module.def(
      "ledger_look", [](const ChargeTo& to, const std::string& what) { Ledger::open(to.path).look(to.dataset, what); },
      nb::arg("charge"), nb::arg("what"), Unlocked());
  module.def(
      "ledger_publish", [](const std::string& path, std::uint64_t entry) { Ledger::open(path).publish(entry); },
      nb::arg("path"), nb::arg("entry"), Unlocked());
}

}  // namespace dperm::python
