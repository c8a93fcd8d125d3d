// SPDX-License-Identifier: Apache-2.0
// Two tables that differ in one row, or in the rows of one person, which may also stand elsewhere; and a plan's run on
// one replayed on the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dperm/audit/replay/compare.hpp"
#include "dperm/audit/rows.hpp"

namespace dperm::audit {

struct Pair {
  std::shared_ptr<const schema::Encoding> encoding;
  Rows rows;                           // of the first table
  std::size_t place = 0;               // of the row that differs
  Row other = {};                      // what the second table has there
  std::size_t copies = 1;              // rows of one person, all alike: from `place` on so many differ
  std::optional<std::size_t> to = {};  // where they stand in the second table, in which other rows make room

  const Row& row() const { return rows[place]; }
  data::Dataset first() const { return dataset_of(encoding, rows); }
  data::Dataset second() const;
  // By the place of a row in the first table, its place in the second; empty where rows did not move.
  std::vector<std::uint32_t> places() const;
};

// Both tables at once, for many runs.
struct Tables {
  explicit Tables(const Pair& pair) : first(pair.first()), second(pair.second()), places(pair.places()) {}
  data::Dataset first, second;
  std::vector<std::uint32_t> places;

  // A run on one of them. What is drawn for a row goes with its record.
  Transcript watched(const methods::Plan& plan, bool on_first, WatchOptions options) const {
    if (!on_first) options.places = places;
    return watched_run(plan, on_first ? first : second, options);
  }
};

struct Replayed {
  Transcript first, second;
  Comparison comparison;
};

// The first table's run, tampered with or not, and the second's with its outputs. Random terms are replaced by those
// that lead the second table to the same point. Rows stay in their places where the run draws rows of a part.
Replayed replay(const methods::Plan& plan, const Pair& pair, std::uint64_t seed, const Tamper& tamper = {});

// The gradient of a row's loss with respect to all weights, in plain double arithmetic. Linear scores only, softmax
// included.
std::vector<double> row_gradient(const loss::Loss& loss, const schema::Encoding& encoding, const Row& row,
                                 std::span<const double> weights);

}  // namespace dperm::audit
