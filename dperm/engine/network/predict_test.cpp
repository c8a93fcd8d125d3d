// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/network/predict.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dperm/core/error.hpp"
#include "tests/support/network_reference.hpp"

namespace dperm::network {
namespace {

using tests::NetworkReference;

constexpr loss::Loss kSoftmax{.kind = loss::LossKind::softmax};

NetworkReference classes_network(const tests::EncodedTable& table) {
  const Shape shape{table.dimension(), {19}, 4, Activation::tanh};
  return {shape, kSoftmax, tests::network_weights(shape, 1.5, 2)};
}

TEST(NetworkScores, ComeRowAfterRow) {
  const tests::EncodedTable table = tests::class_table(300, 7, {5, 300}, 4, 1);
  const NetworkReference network = classes_network(table);
  for (const std::size_t height : {64u, 192u}) {
    const auto got = scores(tests::build_tiles(table, height), network.shape, network.weights, {2});
    ASSERT_EQ(got.size(), 300u * 4);
    for (std::size_t row = 0; row < 300; ++row) {
      const auto expected = network.forward(table, row).back();
      for (std::size_t k = 0; k < 4; ++k) ASSERT_NEAR(got[row * 4 + k], expected[k], 2e-5);
    }
  }
}

TEST(NetworkErrorCount, CountsRowsWhoseLargestScoreIsAnotherClass) {
  const tests::EncodedTable table = tests::class_table(500, 7, {5}, 4, 3);
  const NetworkReference network = classes_network(table);
  std::int64_t expected = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto s = network.forward(table, row).back();
    expected += std::max_element(s.begin(), s.end()) - s.begin() != table.targets[row];
  }
  EXPECT_EQ(error_count(tests::build_tiles(table, 64), network.shape, network.weights, {1}), expected);
  EXPECT_GT(expected, 100);
  EXPECT_LT(expected, 450);
}

TEST(NetworkErrorCount, OfALinearNetworkIsThatOfTheEngine) {
  const tests::EncodedTable table = tests::random_table(700, 5, {6}, true, 4);
  const data::TileSet tiles = tests::build_tiles(table);
  const std::vector<double> weights = tests::random_weights(table.dimension(), 3, 5);
  const Shape shape{table.dimension(), {}, 1, Activation::relu};
  EXPECT_EQ(error_count(tiles, shape, weights, {1}), engine::error_count(tiles, weights, {1}));
}

TEST(NetworkLossSum, IsTheTruncatedSumOfTheValues) {
  const tests::EncodedTable table = tests::class_table(400, 7, {5}, 4, 6);
  const NetworkReference network = classes_network(table);
  const double steps = engine::steps(engine::Resolution::solver, table.rows());
  for (const double bound : {0.5, 2.0, 50.0}) {
    double expected = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) expected += std::fmin(network.value(table, row) / bound, 1.0);
    const std::int64_t got =
        loss_sum(tests::build_tiles(table), network.shape, network.loss, bound, network.weights, {2});
    EXPECT_NEAR(static_cast<double>(got) / steps, expected, 400 * 2e-5 / bound);
  }
}

TEST(NetworkLossSum, CountsWhatIsNoNumberAsTheBound) {
  // Hidden units of 1e30, then a difference of infinite scores.
  const tests::EncodedTable table = tests::random_table(50, 1, {}, true, 7);
  const Shape shape{table.dimension(), {4}, 1, Activation::relu};
  std::vector<double> weights(weight_count(shape), 1e30);
  weights.back() = -1e30;
  const data::TileSet tiles = tests::build_tiles(table);
  const auto steps = static_cast<std::int64_t>(engine::steps(engine::Resolution::solver, 50));
  const std::int64_t sum = loss_sum(tiles, shape, loss::Loss{.kind = loss::LossKind::squared}, 3, weights, {1});
  EXPECT_GE(sum, 0);
  EXPECT_LE(sum, 50 * steps);
  EXPECT_GT(sum, 20 * steps);
  EXPECT_GT(error_count(tiles, shape, weights, {1}), 20);
}

TEST(NetworkPrediction, RefusesBadArguments) {
  const tests::EncodedTable table = tests::class_table(5, 2, {}, 3, 8);
  const data::TileSet tiles = tests::build_tiles(table);
  const Shape shape{table.dimension(), {}, 3, Activation::relu};
  std::vector<double> weights(weight_count(shape), 0.1);
  EXPECT_THROW(loss_sum(tiles, shape, kSoftmax, 0, weights, {1}), ArgumentError);
  EXPECT_THROW(loss_sum(tiles, shape, loss::Loss{}, 1, weights, {1}), ArgumentError);
  weights[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(scores(tiles, shape, weights, {1}), ArgumentError);
  weights.pop_back();
  EXPECT_THROW(error_count(tiles, shape, weights, {1}), ArgumentError);
  const Shape wider{table.dimension() + 1, {}, 3, Activation::relu};
  EXPECT_THROW(scores(tiles, wider, std::vector<double>(weight_count(wider), 0.1), {1}), ArgumentError);
}

TEST(OutputLoss, OfABinaryTargetInTwoClassesIsTheLogisticLossOfTheDifference) {
  const std::vector<float> two = {0.25f, -1.5f};
  const std::vector<float> one = {-1.75f};
  for (const std::int32_t target : {-1, 1}) {
    EXPECT_NEAR(value(kSoftmax, two, target), value(loss::Loss{}, one, target), 1e-12);
    float slope_two[2], slope_one[1];
    slopes(kSoftmax, two, target, slope_two);
    slopes(loss::Loss{}, one, target, slope_one);
    EXPECT_NEAR(slope_two[1], slope_one[0], 1e-6f);
    EXPECT_NEAR(slope_two[0], -slope_one[0], 1e-6f);
    EXPECT_EQ(is_wrong(two, target), is_wrong(one, target));
  }
}

}  // namespace
}  // namespace dperm::network
