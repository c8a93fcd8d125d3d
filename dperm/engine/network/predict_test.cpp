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
  for (const auto& table : tests::plain_and_curves(tests::class_table(300, 7, {5, 300}, 4, 1))) {
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
}

TEST(NetworkPrediction, RefusesBadArguments) {
  const tests::EncodedTable table = tests::class_table(5, 2, {}, 3, 8);
  const data::TileSet tiles = tests::build_tiles(table);
  const Shape shape{table.dimension(), {}, 3, Activation::relu};
  std::vector<double> weights(weight_count(shape), 0.1);
  weights[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(scores(tiles, shape, weights, {1}), ArgumentError);
  weights.pop_back();
  EXPECT_THROW(scores(tiles, shape, weights, {1}), ArgumentError);
  const Shape wider{table.dimension() + 1, {}, 3, Activation::relu};
  EXPECT_THROW(scores(tiles, wider, std::vector<double>(weight_count(wider), 0.1), {1}), ArgumentError);
}

TEST(OutputLoss, OfABinaryTargetInTwoClassesIsTheLogisticLossOfTheDifference) {
  const std::vector<float> two = {0.25f, -1.5f};
  const std::vector<float> one = {-1.75f};
  for (const std::int32_t target : {-1, 1}) {
    float slope_two[2], slope_one[1];
    slopes(kSoftmax, two, target, slope_two);
    slopes(loss::Loss{}, one, target, slope_one);
    EXPECT_NEAR(slope_two[1], slope_one[0], 1e-6f);
    EXPECT_NEAR(slope_two[0], -slope_one[0], 1e-6f);
  }
}

}  // namespace
}  // namespace dperm::network
