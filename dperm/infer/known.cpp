// SPDX-License-Identifier: Apache-2.0
#include "dperm/infer/known.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dperm/core/check.hpp"
#include "dperm/data/codebook.hpp"

namespace dperm::infer {

namespace {

void take_codebook(schema::Draft& draft, const std::string& path) {
  const std::vector<std::string> names = draft.names();
  for (const data::CodebookEntry& entry : data::read_codebook(path)) {
    if (std::find(names.begin(), names.end(), entry.column) == names.end()) continue;  // books cover many tables
    if (!entry.description.empty()) draft.set_description(entry.column, entry.description);
    if (entry.lower) draft.set_bounds(entry.column, *entry.lower, *entry.upper, schema::Scale::linear, "real");
    if (!entry.values.empty()) draft.set_values(entry.column, entry.values);
  }
}

}  // namespace

void describe(schema::Draft& draft, const Known& known) {
  if (!known.target.empty()) draft.set_target(known.target, known.target_kind);
  if (!known.positive.empty()) {
    require(!known.target.empty(), "`positive` names a value of the target; name that too, with `target`");
    draft.set_positive(known.target, known.positive);
  }
  for (const std::string& name : known.ignored) draft.ignore(name);
  if (known.unit) {
    require(known.unit->rows >= 1 && known.unit->rows <= schema::kMostUnitRows,
            fmt::format("`unit_rows` says how many rows of one person count, 1 to {}; got {}", schema::kMostUnitRows,
                        known.unit->rows));
    draft.set_unit(*known.unit);
  }
  if (!known.codebook.empty()) take_codebook(draft, known.codebook);
}

}  // namespace dperm::infer
