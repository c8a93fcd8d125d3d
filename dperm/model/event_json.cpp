// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/event_json.hpp"

#include <fmt/format.h>

#include <concepts>
#include <type_traits>

#include "dperm/model/model_json.hpp"
#include "dperm/privacy/events/event_fields.hpp"

namespace dperm::model {

namespace {

using Json = nlohmann::ordered_json;
using Alternatives = std::vector<std::vector<privacy::PrivacyEvent>>;

template <class Value>
constexpr bool kIsOptional = false;
template <class Value>
constexpr bool kIsOptional<std::optional<Value>> = true;

// What JSON has a type for. Anything else that a field may be needs a case of its own below.
template <class Value>
concept Plain = std::is_arithmetic_v<Value> || std::same_as<Value, std::string>;

// An event is one flat object: a mechanism stands in it as its word and its own fields, a perturbed objective likewise.
template <HasFields Struct>
void write_fields(Json& out, const Struct& value);

template <class Value>
void write_value(Json& out, std::string_view name, const Value& value) {
  if constexpr (std::same_as<Value, privacy::Mechanism>) {
    out[name] = privacy::word_of(value);
    std::visit([&](const auto& event) { write_fields(out, event); }, value);
  } else if constexpr (HasFields<Value>) {
    write_fields(out, value);
  } else if constexpr (HasWords<Value>) {
    out[name] = word(value);
  } else if constexpr (kIsOptional<Value>) {
    if (value) write_value(out, name, *value);
  } else if constexpr (std::same_as<Value, Alternatives>) {
    for (const auto& events : value) out[name].push_back(Json{{"events", events_json(events)}});
  } else {
    static_assert(Plain<Value>);
    out[name] = value;
  }
}

template <HasFields Struct>
void write_fields(Json& out, const Struct& value) {
  for_each_field(value, [&]<class Value>(std::string_view name, const Value& each) {
    if (is_optional<Struct>(name) && each == Value{}) return;
    write_value(out, name, each);
  });
}

template <HasFields Struct>
void read_fields(const JsonReader& in, Struct& value);

privacy::Mechanism mechanism_of(const JsonReader& in, const std::string& name) {
  auto mechanism = privacy::empty_mechanism(in.get<std::string>(name));
  if (!mechanism) {
    in.fail(fmt::format("unknown {}, which is one of {}", name, fmt::join(privacy::kMechanismWords, ", ")));
  }
  std::visit([&](auto& event) { read_fields(in, event); }, *mechanism);
  return *mechanism;
}

Alternatives alternatives_of(const JsonReader& in, const std::string& name) {
  Alternatives result;
  const bool parts = name == "parts";
  for (const JsonReader& each : in.objects(name)) {
    // Checked before it is read: depth is then bounded, whatever the file holds.
    for (const JsonReader& inner : each.objects("events")) {
      const auto word = inner.get<std::string>("mechanism");
      if (word == privacy::DisjointPartsEvent::word) in.fail("a division is no part of another release");
      if (!parts && word == privacy::SelectionEvent::word) in.fail("a selection is no base of another");
    }
    result.push_back(events_of(each));
  }
  return result;
}

template <class Value>
void read_value(const JsonReader& in, const std::string& name, Value& value) {
  if constexpr (std::same_as<Value, privacy::Mechanism>) {
    value = mechanism_of(in, name);
  } else if constexpr (HasFields<Value>) {
    read_fields(in, value);
  } else if constexpr (HasWords<Value>) {
    const auto found = from_word<Value>(in.get<std::string>(name));
    if (!found) in.fail(fmt::format("unknown {}", name));
    value = *found;
  } else if constexpr (kIsOptional<Value>) {
    value = in.find<typename Value::value_type>(name);
  } else if constexpr (std::same_as<Value, Alternatives>) {
    value = alternatives_of(in, name);
  } else {
    static_assert(Plain<Value>);
    value = in.get<Value>(name);
  }
}

template <HasFields Struct>
void read_fields(const JsonReader& in, Struct& value) {
  for_each_field(value, [&](std::string_view name, auto& each) {
    const std::string key(name);
    if (is_optional<Struct>(name) && !in.has(key)) return;
    // Of what left without noise the guarantee is infinite; numbers of events never are.
    if constexpr (std::same_as<Struct, privacy::Guarantee> &&
                  std::same_as<std::remove_cvref_t<decltype(each)>, double>) {
      each = in.bound(key);
    } else {
      read_value(in, key, each);
    }
  });
}

}  // namespace

Json events_json(const std::vector<privacy::PrivacyEvent>& events) {
  Json result = Json::array();
  for (const privacy::PrivacyEvent& event : events) write_fields(result.emplace_back(Json::object()), event);
  return result;
}

std::vector<privacy::PrivacyEvent> events_of(const JsonReader& in) {
  std::vector<privacy::PrivacyEvent> events;
  for (const JsonReader& each : in.objects("events")) read_fields(each, events.emplace_back());
  return events;
}

namespace {

std::string unit_text(std::size_t unit_rows) {
  return unit_rows == 0 ? "one row" : fmt::format("one person, at most {} rows", unit_rows);
}

}  // namespace

Json guarantee_json(const privacy::Guarantee& guarantee, std::size_t unit_rows) {
  Json result = Json::object();
  write_fields(result, guarantee);
  result["unit"] = unit_text(unit_rows);
  return result;
}

privacy::Guarantee guarantee_of(const JsonReader& in, std::size_t unit_rows) {
  if (in.get<std::string>("unit") != unit_text(unit_rows)) {
    in.fail(fmt::format("the guarantee is made for another unit than the task's, {}", unit_text(unit_rows)));
  }
  privacy::Guarantee guarantee;
  read_fields(in, guarantee);
  return guarantee;
}

}  // namespace dperm::model
