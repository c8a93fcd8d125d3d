// SPDX-License-Identifier: Apache-2.0
// Passes over tiles. Every function returns integers that do not depend on the number of threads, the vector width, the
// tile height or the order of the rows. engine/queries.hpp says what is summed and which queries are refused. Proof
// note: sums.md (what one row can contribute).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/network/clipped_query.hpp"
#include "dperm/engine/queries.hpp"

namespace dperm::engine {

// In row_steps(resolution) per unit, exact.
std::vector<WideSum> gradient_total(const data::TileSet& tiles, const GradientQuery& query, Resolution resolution,
                                    Threads threads);

// The clipped sum of RowSums::clipped_gradient for a query with one linear score. Proof note: clipped_pass.md.
std::vector<std::int64_t> clipped_linear_sum(const data::TileSet& tiles, const network::ClippedQuery& query,
                                             const RowSample& sample, Threads threads);

// Of one linear score: sum_i trunc(steps * min(value_i / value_bound, 1)), computed in double; values are >= 0.
// value_bound in [2^-60, 2^60], rows * steps at most 2^62. One row adds between 0 and steps.
std::int64_t loss_total(const data::TileSet& tiles, const loss::Loss& loss, double value_bound,
                        std::span<const double> weights, double steps, Threads threads);

// Rows whose predicted sign (score > 0 is +1, else -1) differs from the target's sign (target > 0 is +1, else -1).
// One row changes it by at most 1.
std::int64_t error_count(const data::TileSet& tiles, std::span<const double> weights, Threads threads);

// At most 2^32 rows.
GramSums gram_sums(const data::TileSet& tiles, Threads threads, std::int64_t row_limit = kWholeRows);

// The score of every row, in double; for prediction.
std::vector<double> scores(const data::TileSet& tiles, std::span<const double> weights, Threads threads);

}  // namespace dperm::engine
