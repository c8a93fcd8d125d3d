// SPDX-License-Identifier: Apache-2.0
// What is known of a table without looking at a record, beside its draft.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dperm/schema/draft.hpp"

namespace dperm::infer {

struct Known {
  std::string target = {};                // the column to predict; empty: as the draft says
  std::string target_kind = {};           // binary, real or class; empty: found out
  std::string positive = {};              // value of a binary target that counts as +1
  std::vector<std::string> ignored = {};  // columns to leave out
  std::optional<schema::Unit> unit = {};  // who is protected
  std::string codebook = {};              // path of a codebook (data/codebook.hpp); empty: none
};

// Throws ArgumentError for columns that are not there and for what contradicts itself, DataError for the codebook.
void describe(schema::Draft& draft, const Known& known);

}  // namespace dperm::infer
