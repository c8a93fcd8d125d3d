// SPDX-License-Identifier: Apache-2.0
// One [[column]] entry of schema.toml. Internal to the parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"
#include "dperm/schema/toml_table.hpp"

namespace dperm::schema {

// The columns that one entry declares for each of its names. Their names are endings: empty, or ".month" for a part.
struct ColumnEntry {
  std::vector<Column> columns;
  bool left_out = false;  // kind = "ignore" or "identifier"
  bool identifier = false;
};
ColumnEntry read_column_entry(const TomlTable& table, const NumberStyle& style);

// decimal, thousands and strip of a table; what it does not say is as in `style`.
NumberStyle read_style(const TomlTable& table, const NumberStyle& style);

std::vector<std::string> trimmed_all(std::vector<std::string> texts);
// A text and why the value has to be written by hand.
std::string why_public(std::string_view what);

}  // namespace dperm::schema
