// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/weighted_gram.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "tests/support/tile_builder.hpp"

namespace dperm::engine {
namespace {

TEST(WeightedGram, WithEqualWeightsItIsAMultipleOfTheGramMatrix) {
  for (const auto& table : tests::plain_and_curves(tests::random_table(700, 3, {4, 300}, true, 2))) {
    for (const std::size_t height : {64u, 4096u}) {
      const data::TileSet tiles = tests::build_tiles(table, height);
      auto expected = gram_sums(tiles, {1}).upper_triangle;
      for (auto& each : expected) each *= 5;
      EXPECT_EQ(weighted_gram(tiles, std::vector<std::uint32_t>(700, 5), {3}), expected);
    }
  }
}

TEST(WeightedGram, AddsEveryRowWithItsOwnWeight) {
  const auto table = tests::random_table(200, 1, {3}, true, 4);
  const data::TileSet tiles = tests::build_tiles(table, 64);
  std::vector<std::uint32_t> weights(200);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::uint32_t>(i % 7);
  std::vector<std::int64_t> expected(15, 0);
  for (std::size_t row = 0; row < 200; ++row) {
    std::vector<std::int64_t> v(5, 0);
    v[0] = 32767;
    v[1] = table.reals[0][row];
    if (table.codes[0][row] < 3) v[2 + table.codes[0][row]] = 32767;
    std::size_t next = 0;
    for (std::size_t a = 0; a < 5; ++a) {
      for (std::size_t b = a; b < 5; ++b) expected[next++] += weights[row] * v[a] * v[b];
    }
  }
  EXPECT_EQ(weighted_gram(tiles, weights, {2}), expected);
}

TEST(WeightedGram, RefusesWhatWouldNotFit) {
  EXPECT_EQ(largest_row_weight(1), 1024u);
  EXPECT_EQ(largest_row_weight(std::size_t{1} << 22), 1024u);
  EXPECT_EQ(largest_row_weight((std::size_t{1} << 22) + 1), 512u);
  EXPECT_EQ(largest_row_weight(std::size_t{1} << 32), 1u);
  EXPECT_THROW(largest_row_weight((std::size_t{1} << 32) + 1), ArgumentError);
  const data::TileSet tiles = tests::build_tiles(tests::random_table(3, 1, {}, true, 4));
  EXPECT_THROW(weighted_gram(tiles, std::vector<std::uint32_t>(3, 1025), {1}), ArgumentError);
  EXPECT_THROW(weighted_gram(tiles, std::vector<std::uint32_t>(2, 1), {1}), ArgumentError);
}

}  // namespace
}  // namespace dperm::engine
