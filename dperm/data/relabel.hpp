// SPDX-License-Identifier: Apache-2.0
// The rows of a table with a target of classes as a binary problem: one class against the rest.
#pragma once

#include <cstdint>

#include "dperm/data/tiles.hpp"

namespace dperm::data {

// A copy in memory whose target is +1 where it was `positive`, else -1. Row i is a function of row i alone.
TileSet one_against_rest(const TileSet& tiles, std::int32_t positive);

}  // namespace dperm::data
