// SPDX-License-Identifier: Apache-2.0
// Models that were made before their table had a ledger, or whose entries a restored ledger has lost.
#pragma once

#include <string>

#include "dperm/ledger/ledger.hpp"
#include "dperm/model/model.hpp"

namespace dperm::ledger {

// Counts what the model cost, with the bounds it rests on where these are not counted yet. A model that is not private
// is also written down as a look, whose mark is returned: no epsilon is true any more once the owner declares it
// published. Throws ArgumentError for a model that this ledger counts already, and DataError for one that does not
// verify. `note` says what it is.
Mark enter_model(Ledger& ledger, const std::string& dataset, const model::Model& model, const std::string& note);

// Whether the entry that the model names is of this ledger and counted this very model: a mark can be copied. Of an
// entry that a restored ledger has lost nothing is counted.
bool is_counted(const Ledger& ledger, const model::Model& model);

// Whether the ledger counts the model by such an entry, for any of its datasets.
bool is_entered(const Ledger& ledger, const model::Model& model);

}  // namespace dperm::ledger
