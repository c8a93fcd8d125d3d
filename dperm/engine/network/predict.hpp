// SPDX-License-Identifier: Apache-2.0
// What a network says about rows: its outputs for prediction, and exact integer counts for evaluation. Everything
// returned is computed from records: the caller keeps it inside Sensitive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/cpu/sums.hpp"
#include "dperm/engine/network/output_loss.hpp"
#include "dperm/engine/network/shape.hpp"

namespace dperm::network {

// All throw ArgumentError unless the weights fit the shape and are finite, at most 2^100 in size.

// The outputs of every row, row after row (rows x outputs).
std::vector<double> scores(const data::TileSet& tiles, const Shape& shape, std::span<const double> weights,
                           Threads threads);

// Rows whose predicted class is not the target's. One row changes it by at most 1.
std::int64_t error_count(const data::TileSet& tiles, const Shape& shape, std::span<const double> weights,
                         Threads threads);

// sum_i trunc( steps * min(value_i / value_bound, 1) ) with steps = engine::steps(solver, rows), as engine::loss_sum;
// a value that is not a number counts as the bound. One row adds between 0 and steps.
std::int64_t loss_sum(const data::TileSet& tiles, const Shape& shape, const loss::Loss& loss, double value_bound,
                      std::span<const double> weights, Threads threads);

}  // namespace dperm::network
