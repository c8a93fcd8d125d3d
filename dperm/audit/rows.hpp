// SPDX-License-Identifier: Apache-2.0
// Rows in the open, already encoded: those of an audit are made up, or declared public by the one who audits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dperm/engine/dataset.hpp"
#include "dperm/random/bits.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::audit {

// One row in the lattice of its schema: integers in [-32767, 32767] of number columns, codes of categories (the number
// of levels: none of them), and the target as schema::Encoding writes it: +-1, a class, or an integer in
// [-2^30, 2^30].
struct Row {
  std::vector<std::int16_t> reals;
  std::vector<std::uint32_t> codes;
  std::int32_t target = 0;
  bool operator==(const Row&) const = default;
};
using Rows = std::vector<Row>;

inline constexpr std::int32_t kTargetOne = std::int32_t{1} << 30;

// Not empty, each row with the columns of the encoding (InternalError).
data::Dataset dataset_of(std::shared_ptr<const schema::Encoding> encoding, const Rows& rows);

// Rows that the schema admits, numbers and categories evenly spread. Targets follow a hidden linear rule with noise, so
// that there is something to learn.
Rows synthetic_rows(const schema::Encoding& encoding, std::size_t rows, random::BitSource& bits);

// The features of a row in encoded units, of norm at most 1. Schemas without curves, steps and pairs only.
std::vector<double> features(const schema::Encoding& encoding, const Row& row);

}  // namespace dperm::audit
