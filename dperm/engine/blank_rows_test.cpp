// SPDX-License-Identifier: Apache-2.0
// Blank rows add nothing, keep their numbers, and count in the number of rows.
#include "dperm/engine/blank_rows.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/datasets.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

struct Table {
  tests::EncodedTable stored;
  std::shared_ptr<const data::FilledRows> filled;
  std::vector<std::size_t> numbers;  // of the stored rows
};

Table table_with_blanks(std::size_t rows, std::size_t every, std::uint64_t seed) {
  auto filled = std::make_shared<data::FilledRows>();
  Table result;
  std::mt19937_64 random(seed);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool has = every > 0 && random() % every != 0;
    filled->append(has);
    if (has) result.numbers.push_back(row);
  }
  result.stored = tests::learnable_table(std::max<std::size_t>(result.numbers.size(), 1), 2, {3}, true, seed);
  if (result.numbers.empty()) {
    for (auto& column : result.stored.reals) column.clear();
    for (auto& column : result.stored.codes) column.clear();
    result.stored.targets.clear();
  }
  result.filled = filled;
  return result;
}

BlankRows sums_of(const Table& table) {
  return {std::make_shared<const TileSums>(tests::build_tiles(table.stored, 64)), table.filled};
}

const std::vector<double> kWeights = {0.3, -1, 2, 0.5, -0.5, 0.1};

TEST(BlankRows, SumsAreThoseOfTheFilledRows) {
  const Table table = table_with_blanks(700, 3, 1);
  const BlankRows blank = sums_of(table);
  const TileSums plain = tests::sums_of(table.stored);
  EXPECT_EQ(blank.rows(), 700u);
  EXPECT_EQ(blank.filled_rows(), plain.rows());
  const GradientQuery query{{}, 1, kWeights};
  EXPECT_EQ(blank.gradient_total(query, Resolution::release, {1}),
            plain.gradient_total(query, Resolution::release, {1}));
  EXPECT_EQ(blank.gradient(query, Resolution::release, {1}), plain.gradient(query, Resolution::release, {1}));
  const RowModel model = LinearModel{kWeights};
  EXPECT_EQ(blank.errors(model, {1}), plain.errors(model, {1}));
  EXPECT_EQ(blank.target_sum(1, {1}), plain.target_sum(1, {1}));
  EXPECT_EQ(blank.second_moments(kWholeRows, {1}).upper_triangle, plain.second_moments(kWholeRows, {1}).upper_triangle);
  EXPECT_EQ(blank.loss_total({model, {}, 5}, 1024, {1}), plain.loss_total({model, {}, 5}, 1024, {1}));
  EXPECT_EQ(blank.curvature_total(kWeights, 64, {1}), plain.curvature_total(kWeights, 64, {1}));
}

TEST(BlankRows, SamplesAndBatchesNameRowsByTheirNumbersInTheTable) {
  const Table table = table_with_blanks(500, 2, 2);
  const BlankRows blank = sums_of(table);
  const TileSums plain = tests::sums_of(table.stored);
  const network::ClippedQuery query{{kWeights.size(), {}, 1, network::Activation::relu}, {}, kWeights, 0.5};
  std::vector<std::size_t> sample, places;
  for (std::size_t row = 0; row < 500; row += 3) {
    sample.push_back(row);
    const auto found = std::find(table.numbers.begin(), table.numbers.end(), row);
    if (found != table.numbers.end()) places.push_back(static_cast<std::size_t>(found - table.numbers.begin()));
  }
  const std::vector<std::int64_t> expected_sum = plain.clipped_gradient(query, places, {1});
  EXPECT_EQ(blank.clipped_gradient(query, sample, {1}), expected_sum);
  EXPECT_EQ(blank.clipped_gradient(query, sample, {2}), expected_sum);
  EXPECT_EQ(blank.select(sample)->rows(), sample.size());
  EXPECT_EQ(blank.select(sample)->filled_rows(), places.size());
  EXPECT_EQ(blank.select(sample)->errors(LinearModel{kWeights}, {1}),
            plain.select(places)->errors(LinearModel{kWeights}, {1}));

  const std::vector<std::uint32_t> batch(sample.begin(), sample.end()), stored(places.begin(), places.end());
  EXPECT_EQ(blank.batches({}, 1, 200)->sum(kWeights, batch), plain.batches({}, 1, 200)->sum(kWeights, stored));
}

TEST(BlankRows, OutputsStandInTheirPlaces) {
  const Table table = table_with_blanks(100, 2, 3);
  const auto outputs = sums_of(table).outputs(LinearModel{kWeights}, {1});
  const auto plain = tests::sums_of(table.stored).outputs(LinearModel{kWeights}, {1});
  ASSERT_EQ(outputs.size(), 100u);
  for (std::size_t i = 0; i < table.numbers.size(); ++i) EXPECT_EQ(outputs[table.numbers[i]], plain[i]);
}

TEST(BlankRows, NothingButBlankRowsHasSumsOfZero) {
  const Table table = table_with_blanks(70, 0, 4);
  const BlankRows blank = sums_of(table);
  EXPECT_EQ(blank.filled_rows(), 0u);
  EXPECT_EQ(blank.gradient({{}, 1, kWeights}, Resolution::release, {1}), std::vector<std::int64_t>(6, 0));
  EXPECT_EQ(blank.errors(LinearModel{kWeights}, {1}), 0);
  const network::ClippedQuery query{{kWeights.size(), {}, 1, network::Activation::relu}, {}, kWeights, 0.5};
  const std::vector<std::size_t> sample = {0, 5, 69};
  EXPECT_EQ(blank.clipped_gradient(query, sample, {1}), std::vector<std::int64_t>(6, 0));
  EXPECT_EQ(blank.second_moments(kWholeRows, {1}).upper_triangle, std::vector<std::int64_t>(21, 0));
}

}  // namespace
}  // namespace dperm::engine
