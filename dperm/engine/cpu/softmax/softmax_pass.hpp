// SPDX-License-Identifier: Apache-2.0
// One pass of softmax regression as the vector code sees it. Internal to the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"

namespace dperm::engine {

// Rows handled at once, so that the scores of ten classes stay in the first-level cache; 64 * 2^40 < 2^53 is why sums
// of a block are exact in double.
inline constexpr std::size_t kSoftmaxRows = 64;

struct SoftmaxPass {
  const data::TileLayout* layout;
  std::size_t classes;
  std::vector<double> weights;  // weight j of class k at j * classes + k, times what the stored integer stands for
  double steps;                 // 2^bits
  double share_scale;           // slightly less than steps
  double loss_scale;            // steps / value_bound
};

struct SoftmaxState {
  std::vector<double> scores;          // class k of row r at k * kSoftmaxRows + r; then shares
  std::vector<double> shrunk;          // integer slopes times slightly less than 1/32767, likewise
  std::vector<std::int64_t> slopes;    // integer slopes, likewise
  std::vector<std::int64_t> gradient;  // weight j of class k at j * classes + k
  std::int64_t loss = 0;
};

void add_softmax(const SoftmaxPass& pass, const data::TileView& tile, SoftmaxState& state);

}  // namespace dperm::engine
