// SPDX-License-Identifier: Apache-2.0
#include "cli/ledger_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/json_text.hpp"
#include "cli/text.hpp"

namespace dperm::cli {

namespace {

using Json = nlohmann::ordered_json;
using ledger::DatasetState;
using ledger::Spent;

// To four digits, away from zero or toward it.
std::string digits(double value, bool upward) {
  if (!(value > 0) || !std::isfinite(value)) return std::isfinite(value) ? "0" : "infinite";
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  if (!(unit > 0)) return fmt::format("{:.4g}", value);  // a number that small has no four digits
  const double steps = value / unit;
  return fmt::format("{:.4g}", (upward ? std::ceil(steps - 1e-6) : std::floor(steps + 1e-6)) * unit);
}

std::string unit_words(const ledger::Cap& cap) {
  return cap.unit.is_row() ? "one row" : fmt::format("one person (column '{}')", cap.unit.column);
}

std::size_t unsettled(const DatasetState& state) {
  return static_cast<std::size_t>(
      std::count_if(state.requests.begin(), state.requests.end(), [](const auto& each) { return each.settled == 0; }));
}

std::string looks_line(const DatasetState& state) {
  std::map<std::string, std::size_t> kinds;
  for (const ledger::Look& each : state.looks) ++kinds[each.what];
  std::string list;
  for (const auto& [what, count] : kinds) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, what);
  return fmt::format("  looks      {} without protection, in no total{}\n", state.looks.size(),
                     list.empty() ? "" : ": " + list);
}

double percent(const Spent& spent) { return std::ceil(1000 * ledger::attacker_success(spent) - 1e-9) / 10; }

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json spent_json(const Spent& spent) { return {{"epsilon", number(spent.epsilon)}, {"delta", spent.delta}}; }

Json state_json(const DatasetState& state) {
  const Spent spent = ledger::spent(state);
  Json looks = Json::array();
  for (const ledger::Look& each : state.looks) {
    looks.push_back({{"entry", each.entry},
                     {"date", each.date},
                     {"what", each.what},
                     {"model", each.makes_model},
                     {"published", each.published}});
  }
  return {{"dataset", state.name},
          {"cap",
           {{"epsilon", state.cap.epsilon},
            {"delta", state.cap.delta},
            {"currency", word(state.cap.currency)},
            {"neighbours", word(state.cap.neighbours)},
            {"unit", state.cap.unit.column},
            {"missing", state.cap.unit.missing}}},
          {"spent", spent_json(spent)},
          {"remaining", spent_json(ledger::room(state))},
          {"requests", state.requests.size()},
          {"unsettled", unsettled(state)},
          {"attacker_success", ledger::attacker_success(spent)},
          {"attacker_success_at_cap", ledger::attacker_success({state.cap.epsilon, state.cap.delta})},
          {"unprotected", state.unprotected},
          {"looks", looks}};
}

Json entry_object(const ledger::Entry& entry) {
  return {{"number", entry.number}, {"kind", word(entry.kind)}, {"dataset", entry.dataset},   {"date", entry.date},
          {"nonce", entry.nonce},   {"body", entry.body},       {"previous", entry.previous}, {"digest", entry.digest}};
}

// What people want to know of an entry.
std::string words_of(const ledger::Entry& entry) {
  const nlohmann::json body = nlohmann::json::parse(entry.body);
  switch (entry.kind) {
    case ledger::EntryKind::create:
      return "ledger " + body.value("ledger", "");
    case ledger::EntryKind::enlist:
      return fmt::format("cap epsilon {:g}, delta {:g} ({})", body.value("epsilon", 0.0), body.value("delta", 0.0),
                         body.value("currency", ""));
    case ledger::EntryKind::reserve:
    case ledger::EntryKind::enter: {
      const nlohmann::json& cost = body.at("cost");
      std::string text = fmt::format("{}: epsilon {:.6g}, delta {:.4g}", body.value("command", ""),
                                     cost.value("epsilon", 0.0), cost.value("delta", 0.0));
      for (const auto& each : body.value("shared", nlohmann::json::array())) {
        text += fmt::format("; with bounds inferred before: epsilon {:.6g}, delta {:.4g}", each.value("epsilon", 0.0),
                            each.value("delta", 0.0));
      }
      if (body.contains("note")) text += "; " + body.value("note", "");
      if (body.contains("request_id")) text += fmt::format("; request '{}'", body.value("request_id", ""));
      return text;
    }
    case ledger::EntryKind::settle:
      return fmt::format("entry {} came to its end", body.value("reserve", 0));
    case ledger::EntryKind::look:
      return fmt::format("{}, without protection", body.value("what", ""));
    case ledger::EntryKind::publish:
      return fmt::format("the result of entry {} was published", body.value("look", 0));
  }
  return "";
}

}  // namespace

std::string dataset_text(const DatasetState& state) {
  const Spent spent = ledger::spent(state), left = ledger::room(state);
  std::string text = fmt::format(
      "dataset '{}': neighbours {}, {}; currency {}\n  cap        epsilon {:g}, delta {:g}\n  spent      epsilon {}, "
      "delta {} in {}{}\n  remaining  epsilon {}, delta {}\n",
      state.name, word(state.cap.neighbours), unit_words(state.cap), word(state.cap.currency), state.cap.epsilon,
      state.cap.delta, digits(spent.epsilon, true), digits(spent.delta, true),
      counted(state.requests.size(), "request"),
      unsettled(state) == 0 ? "" : fmt::format(", {} of which never came to an end", unsettled(state)),
      digits(left.epsilon, false), digits(left.delta, false));
  text += fmt::format(
      "  attacker   who knows all other records and must say which of two tables was used is right at most\n"
      "             {:.1f}% of the time (guessing: 50%), {:.1f}% when the cap is spent\n",
      percent(spent), percent({state.cap.epsilon, state.cap.delta}));
  text += looks_line(state);
  if (state.unprotected) {
    text +=
        red("  NOT PROTECTED: a result without protection was declared published; no epsilon is true any more") + "\n";
  }
  return text;
}

std::string dataset_json(const DatasetState& state) { return json_text(state_json(state)); }

std::string ledger_text(const ledger::Ledger& ledger, const DatasetStates& states) {
  std::string text;
  for (const auto& [name, state] : states) text += (text.empty() ? "" : "\n") + dataset_text(state);
  if (states.empty()) {
    return fmt::format(
        "No dataset yet. Register each table once: dperm ledger register {} NAME --epsilon E --delta D\n",
        ledger.path());
  }
  return text + "\nThe cap is the guarantee, however later requests are chosen; what is spent so far is a reading.\n";
}

std::string ledger_json(const ledger::Ledger& ledger, const DatasetStates& states) {
  const std::vector<ledger::Entry> entries = ledger.entries();
  Json result{{"ledger", ledger.id()}, {"entries", entries.size()}, {"head", entries.back().digest}};
  result["datasets"] = Json::array();
  for (const auto& [name, state] : states) result["datasets"].push_back(state_json(state));
  return json_text(result) + "\n";
}

std::string entry_text(const ledger::Entry& entry) {
  return fmt::format("{:>5}  {:<10}  {:<8}  {}{}", entry.number, entry.date, word(entry.kind),
                     entry.dataset.empty() ? "" : "'" + entry.dataset + "' ", words_of(entry));
}

std::string entry_json(const ledger::Entry& entry) { return json_text(entry_object(entry), -1); }

std::string export_json(const ledger::Ledger& ledger) {
  Json entries = Json::array();
  for (const ledger::Entry& entry : ledger.entries()) entries.push_back(entry_object(entry));
  return json_text(Json{{"format", "dperm-ledger-export"}, {"ledger", ledger.id()}, {"entries", entries}}) + "\n";
}

std::string check_json(const std::vector<std::string>& problems, const std::optional<std::vector<std::string>>& alike) {
  return json_text(Json{{"passed", problems.empty()},
                        {"problems", problems},
                        {"alike", alike ? Json(*alike) : Json(nullptr)},
                        {"private", !alike}});
}

}  // namespace dperm::cli
