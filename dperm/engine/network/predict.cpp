// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/network/predict.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/engine/network/chunk.hpp"

namespace dperm::network {
namespace {

// Any valid loss will do where only scores are asked for.
loss::Loss some_loss(const Shape& shape) {
  return {.kind = shape.outputs == 1 ? loss::LossKind::logistic : loss::LossKind::softmax};
}

// The sum over all rows of visit(row number, scores, target), an integer.
template <class Visit>
std::int64_t sum_over_rows(const data::TileSet& tiles, const PreparedNetwork& network, Threads threads, Visit&& visit) {
  const RowFormat format(tiles.layout());
  require(network.shape.inputs == format.inputs(), "the network must have as many inputs as the encoding has weights");
  struct State {
    Chunk chunk;
    std::vector<std::byte> rows;
    std::int64_t total = 0;
  };
  std::int64_t total = 0;
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
            state.total +=
                visit(index * tiles.layout().height() + first + r, state.chunk.scores(r), state.chunk.target(r));
          }
        }
      },
      [&](const State& state) { total += state.total; });
  return total;
}

}  // namespace

std::vector<double> scores(const data::TileSet& tiles, const Shape& shape, std::span<const double> weights,
                           Threads threads) {
  const PreparedNetwork network = prepare(shape, some_loss(shape), weights);
  std::vector<double> out(tiles.rows() * shape.outputs);
  sum_over_rows(tiles, network, threads, [&](std::size_t row, std::span<const float> row_scores, std::int32_t) {
    std::copy(row_scores.begin(), row_scores.end(), out.begin() + static_cast<std::ptrdiff_t>(row * shape.outputs));
    return std::int64_t{0};
  });
  return out;
}

std::int64_t error_count(const data::TileSet& tiles, const Shape& shape, std::span<const double> weights,
                         Threads threads) {
  const PreparedNetwork network = prepare(shape, some_loss(shape), weights);
  return sum_over_rows(tiles, network, threads,
                       [](std::size_t, std::span<const float> row_scores, std::int32_t target) {
                         return std::int64_t{is_wrong(row_scores, target)};
                       });
}

std::int64_t loss_sum(const data::TileSet& tiles, const Shape& shape, const loss::Loss& loss, double value_bound,
                      std::span<const double> weights, Threads threads) {
  require_in_closed_range("value_bound", value_bound, 0x1p-60, 0x1p60);
  const PreparedNetwork network = prepare(shape, loss, weights);
  const double steps = engine::steps(engine::Resolution::solver, tiles.rows());
  return sum_over_rows(tiles, network, threads,
                       [&](std::size_t, std::span<const float> row_scores, std::int32_t target) {
                         const double share = value(loss, row_scores, target) / value_bound;
                         // Rounding may leave a value next to zero below it.
                         return static_cast<std::int64_t>(steps * (share < 1 ? std::fmax(share, 0.0) : 1));
                       });
}

}  // namespace dperm::network
