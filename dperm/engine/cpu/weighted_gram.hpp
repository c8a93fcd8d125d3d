// SPDX-License-Identifier: Apache-2.0
// Second moments with an integer weight for each row. Everything returned is computed from records: the caller keeps it
// inside Sensitive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/engine/cpu/sums.hpp"

namespace dperm::engine {

// The largest weight that keeps a sum over so many rows within 62 bits, a power of two, at most 2^10. Throws
// ArgumentError above 2^32 rows.
std::uint32_t largest_row_weight(std::size_t rows);

// sum_i k_i v_ia v_ib for a <= b, indexed like GramSums::upper_triangle, v the integer vector of gram_sums: exact. A
// row with weight k adds k v v^T, which is positive semidefinite of norm k ||v||^2 <= k m kGramUnit. There is one
// weight a row, at most largest_row_weight(rows), and at most kMaximumGramDimension features (ArgumentError otherwise).
std::vector<std::int64_t> weighted_gram(const data::TileSet& tiles, std::span<const std::uint32_t> weights,
                                        Threads threads);

}  // namespace dperm::engine
