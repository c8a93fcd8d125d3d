// SPDX-License-Identifier: Apache-2.0
// Two tables that differ in one row, or in the rows of one person, and a plan's run on one replayed on the other.
#pragma once

#include <cstdint>
#include <memory>

#include "dperm/audit/replay/compare.hpp"
#include "dperm/audit/rows.hpp"

namespace dperm::audit {

struct Pair {
  std::shared_ptr<const schema::Encoding> encoding;
  Rows rows;               // of the first table
  std::size_t place = 0;   // of the row that differs
  Row other = {};          // what the second table has there
  std::size_t copies = 1;  // rows of one person, all alike: from `place` on so many differ

  const Row& row() const { return rows[place]; }
  data::Dataset first() const { return dataset_of(encoding, rows); }
  data::Dataset second() const;
};

// Both tables at once, for many runs.
struct Tables {
  explicit Tables(const Pair& pair) : first(pair.first()), second(pair.second()) {}
  data::Dataset first, second;
};

struct Replayed {
  Transcript first, second;
  Comparison comparison;
};

// The first table's run, tampered with or not, and the second's with its outputs. Random terms are replaced by those
// that lead the second table to the same point.
Replayed replay(const methods::Plan& plan, const Pair& pair, std::uint64_t seed, const Tamper& tamper = {});

// The gradient of a row's loss with respect to all weights, in plain double arithmetic. Linear scores only, softmax
// included.
std::vector<double> row_gradient(const loss::Loss& loss, const schema::Encoding& encoding, const Row& row,
                                 std::span<const double> weights);

}  // namespace dperm::audit
