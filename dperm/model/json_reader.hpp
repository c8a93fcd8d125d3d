// SPDX-License-Identifier: Apache-2.0
// One object of a JSON file with the path to it, so that every message says where. Internal to this room.
#pragma once

#include <fmt/core.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dperm/core/error.hpp"

namespace dperm::model {

class JsonReader {
 public:
  using Json = nlohmann::json;

  JsonReader(const Json& json, std::string origin, std::string path)
      : json_(json), origin_(std::move(origin)), path_(std::move(path)) {
    if (!json_.is_object()) fail("must be an object");
  }

  JsonReader object(const std::string& key) const { return JsonReader(at(key), origin_, path_ + key + "."); }

  template <class T>
  T get(const std::string& key) const {
    // A number with a fraction, or a negative one, must not become another number on its way into an integer.
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const Json& value = at(key);
      const bool fits = std::is_unsigned_v<T> ? value.is_number_unsigned() : value.is_number_integer();
      if (!fits) fail(fmt::format("'{}{}' must be an integer", path_, key));
    }
    try {
      return at(key).template get<T>();
    } catch (const Json::exception&) {
      fail(fmt::format("'{}{}' has the wrong type", path_, key));
    }
  }

  // JSON has no infinity; a bound that promises nothing is written as null.
  double bound(const std::string& key) const {
    return at(key).is_null() ? std::numeric_limits<double>::infinity() : get<double>(key);
  }

  template <class T>
  std::optional<T> find(const std::string& key) const {
    return json_.contains(key) ? std::optional<T>(get<T>(key)) : std::nullopt;
  }

  bool has(const std::string& key) const { return json_.contains(key); }

  std::vector<JsonReader> objects(const std::string& key) const {
    std::vector<JsonReader> result;
    if (!at(key).is_array()) fail(fmt::format("'{}{}' must be a list", path_, key));
    for (const Json& each : at(key)) result.emplace_back(each, origin_, path_ + key + "[].");
    return result;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(
        fmt::format("{}: not a usable dperm model: {}; fit it again or restore the original", origin_, what));
  }

 private:
  const Json& at(const std::string& key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("'{}{}' is missing", path_, key));
    return *found;
  }

  const Json& json_;
  std::string origin_, path_;
};

}  // namespace dperm::model
