// SPDX-License-Identifier: Apache-2.0
// A table without a schema: the files, and how its text looks. Shared by the commands that write one.
#pragma once

#include <string>
#include <vector>

#include "dperm/data/reader.hpp"
#include "dperm/schema/schema.hpp"

namespace CLI {
class App;
}

namespace dperm::cli {

struct TableFlags {
  std::vector<std::string> paths;
  std::string delimiter = ",";
  bool header = false, no_header = false;
};

// `flags` must live as long as the command.
void add_table_flags(CLI::App& command, TableFlags& flags);

// Names and types of the first file's columns; `format` gets what the flags say. Throws ArgumentError where the first
// line looks like a record, or like a table with another separator.
std::vector<data::RawColumn> columns_of(const TableFlags& flags, schema::TextFormat& format);

}  // namespace dperm::cli
