// SPDX-License-Identifier: Apache-2.0
// The counts and sums by which models are judged, over the rows of tiles. Note: dperm/methods/evaluation/judgement.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/queries.hpp"

namespace dperm::engine {

// engine/queries.hpp says where a row counts.
std::vector<std::int64_t> judged_rows(const data::TileSet& tiles, const JudgeQuery& query, Threads threads);

RowAnswers row_answers(const data::TileSet& tiles, const RowModel& model, std::optional<std::size_t> group,
                       Threads threads);

}  // namespace dperm::engine
