// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/state.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "dperm/core/error.hpp"
#include "dperm/model/event_json.hpp"

namespace dperm::ledger {

namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// JSON has no infinity.
Ordered number_json(double value) { return std::isfinite(value) ? Ordered(value) : Ordered(nullptr); }
double number_of(const Json& json) { return json.is_null() ? kInfinity : json.get<double>(); }

Ordered cost_json(const Cost& cost) {
  Ordered result{{"epsilon", cost.epsilon}, {"delta", cost.delta}};
  if (cost.mu_squared) result["mu_squared"] = *cost.mu_squared;
  for (const double each : cost.divergences) result["divergences"].push_back(number_json(each));
  return result;
}

Cost cost_from(const Json& json) {
  Cost cost{json.at("epsilon"), json.at("delta")};
  if (json.contains("mu_squared")) cost.mu_squared = json.at("mu_squared").get<double>();
  if (json.contains("divergences")) {
    for (const Json& each : json.at("divergences")) cost.divergences.push_back(number_of(each));
  }
  return cost;
}

Cap cap_from(const Json& json) {
  Cap cap;
  cap.epsilon = json.at("epsilon");
  cap.delta = json.at("delta");
  const auto currency = from_word<Currency>(json.at("currency").get<std::string>());
  const auto neighbours = from_word<privacy::Neighbours>(json.at("neighbours").get<std::string>());
  if (!currency || !neighbours) throw DataError("a dataset's currency or neighbours are unknown to this dperm");
  cap.currency = *currency;
  cap.neighbours = *neighbours;
  if (json.contains("unit")) cap.unit = {json.at("unit"), json.at("missing")};
  cap.orders = json.value("orders", std::vector<double>());
  return cap;
}

Reserved reserved_from(const Entry& entry, const Json& json, const std::string& origin) {
  Reserved request;
  request.entry = entry.number;
  request.command = json.at("command");
  request.request_id = json.value("request_id", "");
  request.request = json.value("request", "");
  request.about = json.value("about", "");
  request.note = json.value("note", "");
  request.release = json.value("release", "");
  request.delta = json.at("delta");
  request.cost = cost_from(json.at("cost"));
  request.events = model::events_of(model::JsonReader(json, origin, ""));
  for (const Json& each : json.value("shared", Json::array())) {
    request.shared.push_back({each.at("id"), each.at("epsilon"), each.at("delta")});
    const SharedRelease& read = request.shared.back();
    if (!(read.epsilon >= 0) || !(read.delta >= 0)) throw DataError("a shared release with a cost below 0");
  }
  return request;
}

void add_request(DatasetState& state, Reserved request) {
  state.sum = plus(state.cap, std::move(state.sum), request.cost);
  for (const SharedRelease& each : request.shared) {
    state.sum = plus(state.cap, std::move(state.sum), {each.epsilon, each.delta});
    state.shared.insert(each.id);
  }
  state.requests.push_back(std::move(request));
}

void settle(DatasetState& state, const Entry& entry, const Json& json) {
  const auto number = json.at("reserve").get<std::uint64_t>();
  for (Reserved& each : state.requests) {
    if (each.entry != number) continue;
    each.settled = entry.number;
    each.result = json.at("result");
  }
  if (json.contains("release")) state.shared.insert(json.at("release").get<std::string>());
}

void publish(DatasetState& state, const Json& json) {
  const auto number = json.at("look").get<std::uint64_t>();
  for (Look& each : state.looks) {
    if (each.entry == number) each.published = state.unprotected = true;
  }
}

void apply(std::map<std::string, DatasetState>& states, const Entry& entry, const std::string& origin) {
  const Json json = Json::parse(entry.body);
  if (entry.kind == EntryKind::create) return;
  if (entry.kind == EntryKind::enlist) {
    if (!states.try_emplace(entry.dataset, DatasetState{entry.dataset, cap_from(json)}).second) {
      throw DataError("a dataset is registered twice");
    }
    return;
  }
  DatasetState& state = states.at(entry.dataset);
  if (entry.kind == EntryKind::reserve || entry.kind == EntryKind::enter) {
    Reserved request = reserved_from(entry, json, origin);
    if (entry.kind == EntryKind::enter) request.settled = entry.number;
    add_request(state, std::move(request));
  }
  if (entry.kind == EntryKind::settle) settle(state, entry, json);
  if (entry.kind == EntryKind::look) {
    state.looks.push_back({.entry = entry.number,
                           .date = entry.date,
                           .what = json.at("what"),
                           .makes_model = json.value("model", false),
                           .release = json.value("release", "")});
  }
  if (entry.kind == EntryKind::publish) publish(state, json);
}

}  // namespace

Spent spent(const DatasetState& state) {
  if (state.unprotected) return {kInfinity, 1};
  return spent(state.cap, state.sum);
}

Spent room(const DatasetState& state) {
  if (state.unprotected) return {0, 0};
  return room(state.cap, state.sum);
}

std::uint64_t entry_of(const DatasetState& state, const std::string& release) {
  if (release.empty()) return 0;
  for (const Reserved& each : state.requests) {
    if (each.release == release) return each.entry;
  }
  for (const Look& each : state.looks) {
    if (each.release == release) return each.entry;
  }
  return 0;
}

std::map<std::string, DatasetState> states_of(std::span<const Entry> entries, const std::string& origin) {
  std::map<std::string, DatasetState> states;
  for (const Entry& entry : entries) {
    const auto fail = [&](const char* why) {
      throw DataError(fmt::format("ledger {}: entry {} cannot be understood ({}); a newer dperm may have written it",
                                  origin, entry.number, why));
    };
    try {
      apply(states, entry, origin);
    } catch (const Json::exception&) {
      fail("its content");
    } catch (const std::out_of_range&) {
      fail("its dataset is not registered");
    } catch (const ArgumentError& error) {
      fail(plain(error.what()).c_str());
    } catch (const DataError& error) {
      fail(error.what());
    }
  }
  return states;
}

std::string create_body(const std::string& ledger_id) { return Ordered{{"ledger", ledger_id}, {"format", 1}}.dump(); }

std::string cap_body(const Cap& cap) {
  Ordered body{{"epsilon", cap.epsilon},
               {"delta", cap.delta},
               {"currency", word(cap.currency)},
               {"neighbours", word(cap.neighbours)}};
  if (!cap.unit.is_row()) {
    body["unit"] = cap.unit.column;
    body["missing"] = cap.unit.missing;
  }
  if (!cap.orders.empty()) body["orders"] = cap.orders;
  return body.dump();
}

std::string reserve_body(const Reserved& request) {
  Ordered body{{"command", request.command}};
  if (!request.request_id.empty()) body["request_id"] = request.request_id;
  if (!request.request.empty()) body["request"] = request.request;
  if (!request.about.empty()) body["about"] = request.about;
  if (!request.note.empty()) body["note"] = request.note;
  if (!request.release.empty()) body["release"] = request.release;
  body["delta"] = request.delta;
  body["cost"] = cost_json(request.cost);
  for (const SharedRelease& each : request.shared) {
    body["shared"].push_back({{"id", each.id}, {"epsilon", each.epsilon}, {"delta", each.delta}});
  }
  body["events"] = model::events_json(request.events);
  return body.dump();
}

std::string settle_body(std::uint64_t reserve, const std::string& result_digest, const std::string& release_id) {
  Ordered body{{"reserve", reserve}, {"result", result_digest}};
  if (!release_id.empty()) body["release"] = release_id;
  return body.dump();
}

std::string look_body(const std::string& what, bool makes_model, const std::string& release) {
  Ordered body{{"what", what}};
  if (makes_model) body["model"] = true;
  if (!release.empty()) body["release"] = release;
  return body.dump();
}

std::string publish_body(std::uint64_t look) { return Ordered{{"look", look}}.dump(); }

}  // namespace dperm::ledger
