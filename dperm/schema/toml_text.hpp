// SPDX-License-Identifier: Apache-2.0
// Pieces of TOML text, shared by to_toml and the template.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

std::string toml_string(std::string_view text);                   // quoted and escaped
std::string toml_strings(const std::vector<std::string>& texts);  // ["a", "b"]
std::string style_toml(const NumberStyle& style);                 // what differs from plain digits
std::string format_toml(const TextFormat& format);                // the [format] table

}  // namespace dperm::schema
