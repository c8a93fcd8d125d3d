// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/strict_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <vector>

#include "dperm/core/error.hpp"

namespace dperm::model {

namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 64;  // models have about ten levels

}  // namespace

Json parse_strictly(std::string_view text, const std::string& origin, std::string_view expected) {
  std::vector<std::set<std::string>> keys;
  std::string repeated;
  bool deep = false;
  const auto look = [&](int depth, Json::parse_event_t event, Json& value) {
    deep = deep || depth > kDeepest;
    if (deep) return false;
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second && repeated.empty()) {
      repeated = value.get<std::string>();
    }
    return true;
  };
  Json json = Json::parse(text, look, false);
  if (deep) throw DataError(fmt::format("{}: nested too deep; expected {}", origin, expected));
  if (json.is_discarded()) throw DataError(fmt::format("{}: not JSON, or cut short; expected {}", origin, expected));
  if (!repeated.empty()) {
    throw DataError(fmt::format(
        "{}: the key '{}' is there twice in one object, so that readers may differ in what it says; expected {}",
        origin, repeated, expected));
  }
  return json;
}

std::string unknown_key(const Json& given, const Json& known) {
  if (given.is_object()) {
    for (const auto& [key, value] : given.items()) {
      const auto place = known.is_object() ? known.find(key) : known.end();
      if (place == known.end()) return key;
      if (const std::string inner = unknown_key(value, *place); !inner.empty()) return key + "." + inner;
    }
  }
  if (given.is_array() && known.is_array()) {
    for (std::size_t i = 0; i < std::min(given.size(), known.size()); ++i) {
      if (const std::string inner = unknown_key(given[i], known[i]); !inner.empty())
        return fmt::format("{}.{}", i, inner);
    }
  }
  return {};
}

}  // namespace dperm::model
