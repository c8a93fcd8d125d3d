// SPDX-License-Identifier: Apache-2.0
// What models of every form say about the rows of tiles, and the integer sums that judge them. Note:
// dperm/methods/evaluation/evaluation.md.
#pragma once

#include <cstdint>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/queries.hpp"

namespace dperm::engine {

// Row by row.
std::vector<double> model_outputs(const data::TileSet& tiles, const RowModel& model, Threads threads);

// One row changes it by at most 1.
std::int64_t model_errors(const data::TileSet& tiles, const RowModel& model, Threads threads);

// LossQuery's sum with `steps` for steps(solver); rows * steps is at most 2^62.
std::int64_t model_loss(const data::TileSet& tiles, const LossQuery& query, double steps, Threads threads);

}  // namespace dperm::engine
