// SPDX-License-Identifier: Apache-2.0
// Whose rows a model is judged on. They may be the rows that it was learned from, which a ledger counts, or others, and
// no file tells them apart: the caller says which.
#pragma once

#include <string>

#include "dperm/model/model.hpp"

namespace dperm::ledger {

// The dataset that the model was learned from, by its schema or by the entry that counted it; empty: nothing names it.
const std::string& dataset_of(const model::Model& model);

struct Origin {
  std::string dataset = {};  // a ledger's name for the rows, which counts them
  bool other_rows = false;   // they belong to no dataset that a ledger counts
};

// Throws ArgumentError where the model's dataset has a name and nothing is said about the rows, or two things are: what
// is meant to be counted must not go uncounted because nobody spoke of it.
void require_origin(const model::Model& model, const Origin& origin);

}  // namespace dperm::ledger
