// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/batch_gradient.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

tests::EncodedTable rows_of(const tests::EncodedTable& table, const std::vector<RowRun>& batch) {
  tests::EncodedTable part = table;
  for (auto& column : part.reals) column.clear();
  for (auto& column : part.codes) column.clear();
  part.targets.clear();
  for (const auto& run : batch) {
    for (std::size_t row = run.first; row < std::min(table.rows(), run.first + run.count); ++row) {
      for (std::size_t j = 0; j < table.reals.size(); ++j) part.reals[j].push_back(table.reals[j][row]);
      for (std::size_t c = 0; c < table.codes.size(); ++c) part.codes[c].push_back(table.codes[c][row]);
      part.targets.push_back(table.targets[row]);
    }
  }
  return part;
}

TEST(BatchGradient, IsTheSumOverItsRowsForEveryLossAndTileHeight) {
  const std::vector<std::vector<RowRun>> batches = {
      {{0, 1}}, {{999, 1}}, {{960, 64}}, {{3, 5}, {500, 200}, {0, 3}}, {{0, 1000}}, {{64, 64}, {640, 64}, {128, 64}}};
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
  const std::vector<RowRun> batch = {{0, 10}}, longer = {{0, 11}}, beyond = {{200, 5}};
  EXPECT_THROW(gradient.sum(std::vector<double>{1e30, 0}, batch), ArgumentError);
  EXPECT_NO_THROW(gradient.sum(std::vector<double>{1, 0}, batch));
  EXPECT_THROW(gradient.sum(std::vector<double>{1, 0}, longer), InternalError);
  EXPECT_EQ(gradient.sum(std::vector<double>{1, 0}, beyond), (std::vector<std::int64_t>{0, 0}));
}

}  // namespace
}  // namespace dperm::engine
