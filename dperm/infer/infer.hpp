// SPDX-License-Identifier: Apache-2.0
// Facts about a table that nobody wrote down, asked of the records privately: which columns hold numbers, between which
// bounds they lie, which texts are common. Note: infer.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dperm/data/column_counts.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::infer {

enum class Unknown {
  kind,    // number or text, and then what follows
  bounds,  // of a number column
  values,  // of a text column
};

struct Wish {
  std::string column;
  Unknown unknown = Unknown::kind;
  schema::NumberStyle style = {};
};

struct Budget {
  double epsilon = 0;
  double delta = 0;
};

// What is known of a column afterwards. Released.
struct ColumnFacts {
  enum class Kind { nothing, number, text } kind = Kind::nothing;  // nothing: too few rows stood out from the noise
  double lower = 0, upper = 0;                                     // number
  schema::Scale scale = schema::Scale::linear;
  bool whole = false;                                     // number: no other than whole ones stood out
  bool zero_or_one = false, sign = false;                 // nothing but 0 and 1, or nothing but -1 and 1, stood out
  std::vector<privacy::Curator::ValueCount> values = {};  // text: in the order of the texts, with noisy counts
};

struct Facts {
  std::size_t rows = 0;
  std::vector<ColumnFacts> columns;  // in the order of the wishes
};

// Throws ArgumentError for a budget without a delta, for no wishes, and where the table has too few rows for its number
// of columns at this epsilon: then nothing is spent.
Facts ask(const data::RawTable& table, const std::vector<Wish>& wishes, const Budget& budget,
          privacy::Curator& curator);

}  // namespace dperm::infer
