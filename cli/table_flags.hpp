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
  std::string delimiter = ",", format;
  bool header = false, no_header = false;
};

// `flags` must live as long as the command.
void add_table_flags(CLI::App& command, TableFlags& flags);

// Names and types of the first file's columns, and how its text is to be read. A header without an index's name, or
// with names that repeat, is given names; `remark` says so. Throws ArgumentError where the first line looks like a
// record, or like a table with another separator.
struct RawTable {
  std::vector<data::RawColumn> columns;
  schema::TextFormat format;
  std::string remark;
};
RawTable table_of(const TableFlags& flags);

}  // namespace dperm::cli
