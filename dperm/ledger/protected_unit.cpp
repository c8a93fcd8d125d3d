// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/protected_unit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace dperm::ledger {

ProtectedUnit unit_of(const std::optional<schema::Unit>& unit, std::vector<std::string> missing) {
  if (!unit || unit->column.empty()) return {};
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  return {unit->column, std::move(missing)};
}

ProtectedUnit unit_of(const schema::Schema& schema) { return unit_of(schema.unit, schema.format.missing); }

std::string words(const ProtectedUnit& unit) {
  if (unit.is_row()) return "rows";
  std::vector<std::string> nobody;
  for (const std::string& each : unit.missing) nobody.push_back(fmt::format("'{}'", each));
  return fmt::format("persons by the column '{}' ({})", unit.column,
                     nobody.empty() ? "every text names somebody" : fmt::format("nobody: {}", fmt::join(nobody, ", ")));
}

}  // namespace dperm::ledger
