// SPDX-License-Identifier: Apache-2.0
// What a network says about rows. Computed from records: the caller keeps it inside Sensitive.
#pragma once

#include <span>
#include <vector>

#include "dperm/core/threads.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/engine/network/shape.hpp"

namespace dperm::network {

// The outputs of every row, row after row (rows x outputs). Throws ArgumentError unless the weights fit the shape and
// are finite, at most 2^100 in size.
std::vector<double> scores(const data::TileSet& tiles, const Shape& shape, std::span<const double> weights,
                           Threads threads);

}  // namespace dperm::network
