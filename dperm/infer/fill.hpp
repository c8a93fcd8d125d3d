// SPDX-License-Identifier: Apache-2.0
// Fills the blanks of a draft with facts that were asked of the records, and seals them.
#pragma once

#include <string>
#include <vector>

#include "dperm/infer/infer.hpp"
#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/schema/draft.hpp"

namespace dperm::infer {

struct Filled {
  schema::Schema schema;
  std::vector<std::string> inferred;  // columns whose facts were found
  std::vector<std::string> left_out;  // columns of which too little stood out: now ignored
  // Columns that tell persons or records apart, by their names and by bounds wider than the table is long: left out.
  std::vector<std::string> identifiers = {};
};

// `table.format` is the draft's. Throws ArgumentError as ask() does, and where the target could not be found out: what
// that says depends on released numbers only, and they are spent.
Filled fill(schema::Draft draft, const data::RawTable& table, const Budget& budget, random::BitSource& bits);

// The releases of an inference as events. Throws DataError for a mechanism it does not know.
std::vector<privacy::PrivacyEvent> events_of(const schema::Inference& inference);

// What a model's guarantee and all inferences that its schema rests on come to. What came later was chosen with the
// earlier results in view, so their epsilons and deltas are added.
struct Total {
  double epsilon = 0;
  double delta = 0;
};
Total total(const schema::Schema& schema, const privacy::Guarantee& guarantee);

}  // namespace dperm::infer
