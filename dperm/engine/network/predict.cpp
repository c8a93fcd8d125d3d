// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/network/predict.hpp"

#include <algorithm>

#include "dperm/core/check.hpp"
#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/engine/network/chunk.hpp"

namespace dperm::network {
namespace {

// Any valid loss will do where only scores are asked for.
loss::Loss some_loss(const Shape& shape) {
  return {.kind = shape.outputs == 1 ? loss::LossKind::logistic : loss::LossKind::softmax};
}

// Calls visit(row number, scores) for every row.
template <class Visit>
void for_each_row(const data::TileSet& tiles, const PreparedNetwork& network, Threads threads, Visit&& visit) {
  const RowFormat format(tiles.layout());
  require(network.shape.inputs == format.inputs(), "the network must have as many inputs as the encoding has weights");
  struct State {
    Chunk chunk;
    std::vector<std::byte> rows;
  };
  data::for_each_tile(
      tiles, threads, [&] { return State{Chunk(network), std::vector<std::byte>(kChunkRows * format.bytes())}; },
      [&](State& state, std::size_t index, const data::TileView& tile, const std::byte*) {
        for (std::size_t first = 0; first < tile.rows; first += kChunkRows) {
          const std::size_t count = std::min(kChunkRows, tile.rows - first);
          format.collect(tile, first, count, state.rows.data());
          state.chunk.clear();
          for (std::size_t r = 0; r < count; ++r) state.chunk.add(format, state.rows.data() + r * format.bytes());
          state.chunk.run_forward();
          for (std::size_t r = 0; r < count; ++r) {
            visit(index * tiles.layout().height() + first + r, state.chunk.scores(r));
          }
        }
      },
      [](const State&) {});
}

}  // namespace

std::vector<double> scores(const data::TileSet& tiles, const Shape& shape, std::span<const double> weights,
                           Threads threads) {
  const PreparedNetwork network = prepare(shape, some_loss(shape), weights);
  std::vector<double> out(tiles.rows() * shape.outputs);
  for_each_row(tiles, network, threads, [&](std::size_t row, std::span<const float> row_scores) {
    std::copy(row_scores.begin(), row_scores.end(), out.begin() + static_cast<std::ptrdiff_t>(row * shape.outputs));
  });
  return out;
}

}  // namespace dperm::network
