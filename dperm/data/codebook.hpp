// SPDX-License-Identifier: Apache-2.0
// A codebook: documentation of a table as a table. A CSV file with the columns `column`, `lower`, `upper`, `values`
// (those in one cell, divided by |) and `description`; further columns are ignored. It is public: it says what values
// are possible, not what the records hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dperm::data {

struct CodebookEntry {
  std::string column;
  std::optional<double> lower, upper;
  std::vector<std::string> values;
  std::string description;
};

// Throws DataError naming line, column and what was expected.
std::vector<CodebookEntry> read_codebook(const std::string& path);

}  // namespace dperm::data
