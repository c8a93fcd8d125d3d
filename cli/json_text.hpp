// SPDX-License-Identifier: Apache-2.0
// JSON for standard output. Names of files and other words that users give need not be UTF-8, and the library would
// throw; here what is not UTF-8 becomes U+FFFD. Not for what is hashed, signed or stored, where two texts must not
// become one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dperm::cli {

// `indent` -1: on one line.
template <class Json>
std::string json_text(const Json& value, int indent = 2) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dperm::cli
