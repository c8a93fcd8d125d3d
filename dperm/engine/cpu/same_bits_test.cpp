// SPDX-License-Identifier: Apache-2.0
// The same integers for every instruction set, number of threads, tile height and order of rows.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "dperm/engine/cpu/sums.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

using testing::for_each_target;
using tests::EncodedTable;

struct AllSums {
  std::vector<std::int64_t> release, solver;
  std::int64_t loss = 0, errors = 0;
  GramSums gram;
  bool operator==(const AllSums& other) const {
    return release == other.release && solver == other.solver && loss == other.loss && errors == other.errors &&
           gram.upper_triangle == other.gram.upper_triangle && gram.target_products == other.gram.target_products &&
           gram.target_square == other.gram.target_square;
  }
};

AllSums all_sums(const data::TileSet& tiles, const loss::Loss& loss, std::span<const double> weights, int threads) {
  const GradientQuery query{.loss = loss, .slope_bound = 0.9, .weights = weights};
  AllSums out;
  out.release = gradient_sum(tiles, query, Resolution::release, {threads});
  out.solver = gradient_sum(tiles, query, Resolution::solver, {threads});
  out.loss = loss_sum(tiles, loss, 3.0, weights, {threads});
  out.errors = error_count(tiles, weights, {threads});
  return out;
}

EncodedTable shared_table(bool binary) {
  return tests::random_table(4500, 4, {2, 16, 42, 200, 63, 64, 300, 15, 17, 70000}, binary, 51);
}

TEST(SameBits, ForEveryInstructionSet) {
  for (const loss::Loss& loss : tests::example_losses()) {
    for (const auto& table : tests::plain_and_curves(shared_table(loss::is_classification(loss.kind)))) {
      const data::TileSet tiles = tests::build_tiles(table);
      for (const double norm : {0.5, 30.0}) {
        const std::vector<double> weights = tests::random_weights(table.dimension(), norm, 52);
        const AllSums expected = all_sums(tiles, loss, weights, 1);
        const std::vector<double> expected_scores = scores(tiles, weights, {1});
        std::vector<std::string> targets;
        for_each_target([&](const char* target) {
          EXPECT_TRUE(all_sums(tiles, loss, weights, 1) == expected) << loss::name(loss.kind) << " on " << target;
          EXPECT_EQ(scores(tiles, weights, {1}), expected_scores) << target;
          targets.emplace_back(target);
        });
        RecordProperty("targets", ::testing::PrintToString(targets));
        EXPECT_GE(targets.size(), 2u) << "nothing was compared";
      }
    }
  }
}

TEST(SameBits, ForEveryNumberOfThreads) {
  // Without this, the library would start no more threads than there are cores.
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 8);
  for (const auto& table : tests::plain_and_curves(shared_table(true))) {
    const data::TileSet tiles = tests::build_tiles(table, 64);
    const std::vector<double> weights = tests::random_weights(table.dimension(), 5, 53);
    const AllSums expected = all_sums(tiles, {}, weights, 1);
    for (const int threads : {0, 1, 2, 3, 8}) {
      for (int repetition = 0; repetition < 5; ++repetition) {
        EXPECT_TRUE(all_sums(tiles, {}, weights, threads) == expected) << threads << " threads";
      }
    }
  }
}

TEST(SameBits, ForEveryTileHeight) {
  for (const loss::Loss& loss : tests::example_losses()) {
    for (const auto& table : tests::plain_and_curves(shared_table(loss::is_classification(loss.kind)))) {
      const std::vector<double> weights = tests::random_weights(table.dimension(), 5, 54);
      const AllSums expected = all_sums(tests::build_tiles(table, 64), loss, weights, 1);
      for (const std::size_t height : {128u, 448u, 512u, 576u, 1024u, 1088u, 4096u}) {
        EXPECT_TRUE(all_sums(tests::build_tiles(table, height), loss, weights, 2) == expected)
            << loss::name(loss.kind) << " height " << height;
      }
    }
  }
}

TEST(SameBits, ForEveryOrderAndNumberOfRows) {
  for (const std::size_t rows : {1u, 63u, 64u, 65u, 511u, 513u, 1500u}) {
    for (const auto& table : tests::plain_and_curves(tests::random_table(rows, 3, {5, 40, 260}, true, 55))) {
      const std::vector<double> weights = tests::random_weights(table.dimension(), 5, 56);
      std::vector<std::size_t> order(rows);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), std::mt19937_64(57));
      EncodedTable shuffled = table;
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < table.reals.size(); ++j) shuffled.reals[j][i] = table.reals[j][order[i]];
        for (std::size_t c = 0; c < table.codes.size(); ++c) shuffled.codes[c][i] = table.codes[c][order[i]];
        shuffled.targets[i] = table.targets[order[i]];
      }
      AllSums sums = all_sums(tests::build_tiles(table), {}, weights, 1);
      AllSums other = all_sums(tests::build_tiles(shuffled, 64), {}, weights, 2);
      sums.gram = gram_sums(tests::build_tiles(table), {1});
      other.gram = gram_sums(tests::build_tiles(shuffled, 64), {2});
      EXPECT_TRUE(sums == other) << rows << " rows";
    }
  }
}

TEST(SameBits, TheSumOfAllRowsIsTheSumOfSingleRows) {
  for (const auto& table : tests::plain_and_curves(tests::random_table(130, 3, {5, 40, 260}, true, 58))) {
    const std::vector<double> weights = tests::random_weights(table.dimension(), 5, 59);
    const GradientQuery query{.loss = {}, .weights = weights};
    std::vector<std::int64_t> sum(table.dimension(), 0);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      EncodedTable one = table;
      for (std::size_t j = 0; j < table.reals.size(); ++j) one.reals[j] = {table.reals[j][row]};
      for (std::size_t c = 0; c < table.codes.size(); ++c) one.codes[c] = {table.codes[c][row]};
      one.targets = {table.targets[row]};
      const auto part = gradient_sum(tests::build_tiles(one), query, Resolution::release, {1});
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += part[j];
    }
    EXPECT_EQ(gradient_sum(tests::build_tiles(table), query, Resolution::release, {2}), sum);
  }
}

}  // namespace
}  // namespace dperm::engine
