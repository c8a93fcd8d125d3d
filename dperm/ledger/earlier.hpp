// SPDX-License-Identifier: Apache-2.0
// Models that were made before their table had a ledger, or whose entries a restored ledger has lost.
#pragma once

#include <string>

#include "dperm/ledger/ledger.hpp"
#include "dperm/model/model.hpp"

namespace dperm::ledger {

// A digest of all that a model says of itself before noise is drawn: how it is made, for whom, and which bounds and
// values were asked of the records before, at what cost. The entry that counts a fit holds it, so that a file which
// leaves something of it out is not taken for the model that was counted.
std::string about(const methods::Plan& plan, const schema::Schema& schema);

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
