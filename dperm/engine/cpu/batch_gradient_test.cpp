// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/batch_gradient.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

using Batch = std::vector<std::uint32_t>;

// The rows first, first + step, ... below end.
Batch every(std::uint32_t step, std::uint32_t first, std::uint32_t end) {
  Batch batch;
  for (std::uint32_t row = first; row < end; row += step) batch.push_back(row);
  return batch;
}

tests::EncodedTable rows_of(const tests::EncodedTable& table, const Batch& batch) {
  tests::EncodedTable part = table;
  for (auto& column : part.reals) column.clear();
  for (auto& column : part.codes) column.clear();
  part.targets.clear();
  for (const std::uint32_t row : batch) {
    for (std::size_t j = 0; j < table.reals.size(); ++j) part.reals[j].push_back(table.reals[j][row]);
    for (std::size_t c = 0; c < table.codes.size(); ++c) part.codes[c].push_back(table.codes[c][row]);
    part.targets.push_back(table.targets[row]);
  }
  return part;
}

TEST(BatchGradient, IsTheSumOverItsRowsForEveryLossAndTileHeight) {
  const std::vector<Batch> batches = {{0},
                                      {999},
                                      every(1, 960, 1000),
                                      every(7, 3, 1000),
                                      {3, 500, 999},
                                      {63, 64, 255, 256},
                                      every(1, 0, 1000),
                                      every(2, 1, 999)};
  for (const auto kind : loss::kAllLosses) {
    for (const auto& table :
         tests::plain_and_curves(tests::random_table(1000, 2, {3, 300, 7}, loss::is_classification(kind), 5))) {
      const std::vector<double> weights = [&] {
        std::vector<double> w(table.dimension());
        for (std::size_t j = 0; j < w.size(); ++j) w[j] = 0.37 * static_cast<double>(j % 7) - 1;
        return w;
      }();
      for (const std::size_t height : {64u, 256u, 4096u}) {
        const data::TileSet tiles = tests::build_tiles(table, height);
        BatchGradient gradient(tiles, {kind}, 2, 1000);
        for (const auto& batch : batches) {
          const data::TileSet part = tests::build_tiles(rows_of(table, batch));
          EXPECT_EQ(gradient.sum(weights, batch), gradient_sum(part, {{kind}, 2, weights}, Resolution::solver, {1}));
        }
      }
    }
  }
}

TEST(BatchGradient, RefusesWhatTheFullSumRefusesAndMoreRowsThanAnnounced) {
  const auto table = tests::random_table(100, 1, {}, true, 1);
  const data::TileSet tiles = tests::build_tiles(table);
  EXPECT_THROW(BatchGradient(tiles, {}, 0, 10), ArgumentError);
  EXPECT_NO_THROW(BatchGradient(tiles, {}, 1, kMostBatchRows));
  EXPECT_THROW(BatchGradient(tiles, {}, 1, kMostBatchRows + 1), ArgumentError);
  BatchGradient gradient(tiles, {}, 1, 10);
  const Batch batch = every(1, 0, 10), longer = every(1, 0, 11), beyond = {99, 100}, twice = {5, 5}, back = {6, 5};
  EXPECT_THROW(gradient.sum(std::vector<double>{1e30, 0}, batch), ArgumentError);
  EXPECT_NO_THROW(gradient.sum(std::vector<double>{1, 0}, batch));
  EXPECT_THROW(gradient.sum(std::vector<double>{1, 0}, longer), InternalError);
  EXPECT_EQ(gradient.sum(std::vector<double>{1, 0}, {}), (std::vector<std::int64_t>{0, 0}));
  for (const Batch& wrong : {beyond, twice, back}) {
    EXPECT_THROW(gradient.sum(std::vector<double>{1, 0}, wrong), InternalError);
  }
}

}  // namespace
}  // namespace dperm::engine
