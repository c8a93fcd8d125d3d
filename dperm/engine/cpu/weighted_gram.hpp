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

// sum_i k_i v_ia v_ib for a <= b, indexed like GramSums::upper_triangle, v the integer vector of gram_sums: exact. A
// row with weight k adds k v v^T, which is positive semidefinite of norm k ||v||^2 <= k m kGramUnit. There is one
// weight per row, at most largest_row_weight(rows), and at most kMaximumGramDimension features (ArgumentError
// otherwise).
std::vector<std::int64_t> weighted_gram(const data::TileSet& tiles, std::span<const std::uint32_t> weights,
                                        Threads threads);

// The same with the curvatures of RowSums::curvature_moments as weights, in units of 1 / largest.
std::vector<std::int64_t> curvature_gram(const data::TileSet& tiles, std::span<const double> weights,
                                         std::uint32_t largest, Threads threads);

}  // namespace dperm::engine
