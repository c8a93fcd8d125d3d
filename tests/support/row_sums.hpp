// SPDX-License-Identifier: Apache-2.0
// Encoded tables as sums over rows and as datasets, for tests of the engine and of what stands on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dperm/engine/cpu/tile_sums.hpp"
#include "dperm/engine/dataset.hpp"
#include "tests/support/tile_builder.hpp"

namespace dperm::tests {

inline engine::TileSums sums_of(const EncodedTable& table, std::size_t height = 0) {
  return engine::TileSums(build_tiles(table, height));
}

inline engine::SharedSums shared_sums_of(const EncodedTable& table, std::size_t height = 0) {
  return engine::SharedSums(std::make_shared<const engine::TileSums>(build_tiles(table, height)));
}

inline data::Dataset dataset_of(const EncodedTable& table, std::size_t height = 0) {
  return {std::make_shared<const schema::Encoding>(encoding_for(table)), shared_sums_of(table, height)};
}

}  // namespace dperm::tests

namespace dperm::engine {

// Finished sums over tiles, for tests of the passes behind them.
inline std::vector<std::int64_t> gradient_sum(const data::TileSet& tiles, const GradientQuery& query,
                                              Resolution resolution, Threads threads) {
  return TileSums(tiles).gradient(query, resolution, threads);
}

inline std::int64_t loss_sum(const data::TileSet& tiles, const loss::Loss& loss, double value_bound,
                             std::span<const double> weights, Threads threads) {
  return TileSums(tiles).loss({LinearModel{weights}, loss, value_bound}, threads);
}

inline SoftmaxSums softmax_sums(const data::TileSet& tiles, std::size_t classes, double value_bound,
                                std::span<const double> weights, Resolution resolution, Threads threads) {
  return TileSums(tiles).softmax({classes, value_bound, weights}, resolution, threads);
}

}  // namespace dperm::engine
