// SPDX-License-Identifier: Apache-2.0
// JSON that two readers cannot understand differently. Internal to this room.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace dperm::model {

// Throws DataError, naming `origin` and saying what was expected, for text that is no JSON, has a key twice in one
// object or is nested deeper than anything we write.
nlohmann::json parse_strictly(std::string_view text, const std::string& origin, std::string_view expected);

// The path of a key of `given` that `known` does not have in the same place; empty where there is none.
std::string unknown_key(const nlohmann::json& given, const nlohmann::json& known);

}  // namespace dperm::model
