// SPDX-License-Identifier: Apache-2.0
// Against whose change a cap, a request or a model protects. Promises about different units do not add up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::ledger {

// A row; or a person, told apart by the text in a column. Which texts name nobody is part of it: they decide which
// tables are neighbours (data/unit_rule.md). How many rows of a person count is not: each request pays for its own
// number.
struct ProtectedUnit {
  std::string column = {};                // empty: one row
  std::vector<std::string> missing = {};  // sorted, each once; none where a row is protected

  bool is_row() const { return column.empty(); }
  bool operator==(const ProtectedUnit&) const = default;
};

// `missing` in any order.
ProtectedUnit unit_of(const std::optional<schema::Unit>& unit, std::vector<std::string> missing);
ProtectedUnit unit_of(const schema::Schema& schema);

// "rows", or "persons by the column 'id' (nobody: '', 'NA')".
std::string words(const ProtectedUnit& unit);

}  // namespace dperm::ledger
