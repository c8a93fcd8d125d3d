// SPDX-License-Identifier: Apache-2.0
// Sums against the obvious loop over rows, and the checks of arguments.
#include "dperm/engine/cpu/sums.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dperm/core/error.hpp"
#include "dperm/engine/rounding_error.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

using tests::EncodedTable;

// Every kind of column: 8-bit with few, 16, 17, 42, 64 and 200 levels, 16-bit codes, several groups.
EncodedTable wide_table(std::size_t rows, bool binary, std::uint64_t seed) {
  return tests::random_table(rows, 3, {2, 16, 42, 1, 200, 63, 64, 300, 15, 17, 31, 32}, binary, seed);
}

std::vector<long double> exact_gradient(const EncodedTable& table, const GradientQuery& query, double step_count) {
  std::vector<long double> out(table.dimension(), 0);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const long double t = tests::exact_score(table, row, query.weights);
    const long double s = tests::exact_slope(query.loss, t, tests::encoded_target(query.loss, table.targets[row]));
    const long double c =
        std::clamp(s / static_cast<long double>(query.slope_bound), -1.0L, 1.0L) * static_cast<long double>(step_count);
    const auto u = tests::features(table, row);
    for (std::size_t j = 0; j < u.size(); ++j) out[j] += c * u[j];
  }
  return out;
}

TEST(Sums, OneClassAgainstTheRestIsTheBinaryTable) {
  EncodedTable classes = wide_table(700, true, 3);
  for (std::size_t row = 0; row < classes.rows(); ++row) classes.targets[row] = static_cast<std::int32_t>(row % 4);
  const std::vector<double> weights = tests::random_weights(classes.dimension(), 8, 6);
  const data::TileSet tiles = tests::build_tiles(classes, 128);
  for (std::int32_t k = 0; k < 5; ++k) {
    EncodedTable binary = classes;
    for (auto& target : binary.targets) target = target == k ? 1 : -1;
    const data::TileSet binary_tiles = tests::build_tiles(binary, 128);
    for (const loss::Loss& loss : tests::example_losses()) {
      if (!loss::is_classification(loss.kind)) continue;
      loss::Loss of_class = loss;
      of_class.positive = k;
      EXPECT_EQ(loss_sum(tiles, of_class, 9, weights, {1}), loss_sum(binary_tiles, loss, 9, weights, {1}));
      for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
        EXPECT_EQ(gradient_sum(tiles, {of_class, 1, weights}, resolution, {1}),
                  gradient_sum(binary_tiles, {loss, 1, weights}, resolution, {1}))
            << loss::name(loss.kind) << " class " << k;
      }
    }
  }
  EXPECT_THROW(loss_sum(tiles, {.positive = -1}, 9, weights, {1}), ArgumentError);
  EXPECT_THROW(loss_sum(tiles, {.positive = (1 << 24) + 1}, 9, weights, {1}), ArgumentError);
}

TEST(GradientSum, IsTheSumOfTheRowsUpToTheDocumentedError) {
  for (const loss::Loss& loss : tests::example_losses()) {
    for (const auto& table : tests::plain_and_curves(wide_table(777, loss::is_classification(loss.kind), 5))) {
      const std::vector<double> weights = tests::random_weights(table.dimension(), 8, 6);
      const data::TileSet tiles = tests::build_tiles(table, 128);
      for (const double slope_bound : {1.0, 0.3}) {
        for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
          const GradientQuery query{.loss = loss, .slope_bound = slope_bound, .weights = weights};
          const double step_count = steps(resolution, table.rows());
          const auto got = gradient_sum(tiles, query, resolution, {1});
          const auto exact = exact_gradient(table, query, step_count);
          // Rows exactly at a kink are too rare among random rows to matter, so the smooth bound serves all losses.
          const SlopeError error =
              slope_error({.kind = loss::LossKind::squared}, slope_bound, 8, table.columns(), resolution);
          const auto n = static_cast<long double>(table.rows());
          const double smooth = loss.kind == loss::LossKind::smoothed_hinge ? 2 : 1;
          for (std::size_t j = 0; j < got.size(); ++j) {
            ASSERT_NEAR(static_cast<double>(got[j] - exact[j]), 0,
                        static_cast<double>(n * (smooth * step_count * error.slope + kTruncationSteps)))
                << loss::name(loss.kind) << " coordinate " << j
                << (resolution == Resolution::release ? " release" : " solver");
          }
        }
      }
    }
  }
}

TEST(GradientSum, OfRowsWithSaturatedSlopesIsExact) {
  // Absolute loss far below the target: every slope is -slope_bound, so the sums are counts times 2^20.
  EncodedTable table = tests::random_table(300, 1, {5, 300}, false, 1);
  std::fill(table.targets.begin(), table.targets.end(), 1 << 30);
  std::fill(table.reals[0].begin(), table.reals[0].end(), std::int16_t{0});
  const std::vector<double> weights(table.dimension(), -0.5);
  const GradientQuery query{.loss = {.kind = loss::LossKind::absolute}, .slope_bound = 1, .weights = weights};
  for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
    const auto got = gradient_sum(tests::build_tiles(table), query, resolution, {2});
    const auto one = static_cast<std::int64_t>(steps(resolution, table.rows()));
    EXPECT_EQ(got[0], -300 * one);
    EXPECT_EQ(got[1], 0);
    for (std::uint32_t level = 0; level < 5; ++level) {
      EXPECT_EQ(got[2 + level], -one * std::count(table.codes[0].begin(), table.codes[0].end(), level));
    }
    for (std::uint32_t level = 0; level < 300; ++level) {
      EXPECT_EQ(got[7 + level], -one * std::count(table.codes[1].begin(), table.codes[1].end(), level));
    }
  }
}

TEST(GradientSum, OfMoreRowsThan62BitsHoldLosesNothingButTheLastDigits) {
  // The same row 2^23 + 3 times: all rows together are 2^63 and more steps of 2^-40, and leave in steps of 2^-38.
  constexpr std::size_t kRows = (std::size_t{1} << 23) + 3;
  const EncodedTable one{{{12345}}, {}, {}, {1 << 30}};
  const EncodedTable many{{std::vector<std::int16_t>(kRows, 12345)}, {}, {}, std::vector<std::int32_t>(kRows, 1 << 30)};
  const std::vector<double> weights = {-0.5, 0};
  const GradientQuery query{.loss = {.kind = loss::LossKind::absolute}, .slope_bound = 1, .weights = weights};
  const auto row = gradient_sum(tests::build_tiles(one), query, Resolution::solver, {1});
  const data::TileSet tiles = tests::build_tiles(many);
  EXPECT_EQ(row[0], -(std::int64_t{1} << 40));
  for (const int threads : {1, 2}) {
    const auto got = gradient_sum(tiles, query, Resolution::solver, {threads});
    for (std::size_t j = 0; j < 2; ++j) {
      const auto exact = static_cast<long double>(row[j]) * kRows;  // 64 bits: a product of 41 and 24
      EXPECT_EQ(got[j], static_cast<std::int64_t>(std::floor(exact / 4))) << threads << " threads, weight " << j;
    }
  }
}

TEST(LossSum, IsTheTruncatedSumOfTheValues) {
  for (const loss::Loss& loss : tests::example_losses()) {
    for (const auto& table : tests::plain_and_curves(wide_table(777, loss::is_classification(loss.kind), 7))) {
      const std::vector<double> weights = tests::random_weights(table.dimension(), 8, 8);
      const data::TileSet tiles = tests::build_tiles(table, 192);
      for (const double value_bound : {40.0, 0.7}) {
        const double step_count = steps(Resolution::solver, table.rows());
        long double exact = 0;
        for (std::size_t row = 0; row < table.rows(); ++row) {
          const auto y = static_cast<double>(tests::encoded_target(loss, table.targets[row]));
          const double value = loss::value(loss, static_cast<double>(tests::exact_score(table, row, weights)), y);
          exact += std::min(value / value_bound, 1.0) * step_count;
        }
        const std::int64_t got = loss_sum(tiles, loss, value_bound, weights, {1});
        // One step of truncation per row, and a relative 1e-14 of the arithmetic.
        const auto n = static_cast<double>(table.rows());
        EXPECT_NEAR(static_cast<double>(got - exact), -n / 2, n / 2 + n * step_count * 1e-14 / value_bound)
            << loss::name(loss.kind);
      }
    }
  }
}

TEST(ErrorCount, CountsRowsWhosePredictedSignIsWrong) {
  for (const auto& table : tests::plain_and_curves(wide_table(1000, true, 9))) {
    const std::vector<double> weights = tests::random_weights(table.dimension(), 3, 10);
    std::int64_t expected = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      expected += (tests::exact_score(table, row, weights) > 0) != (table.targets[row] > 0);
    }
    EXPECT_EQ(error_count(tests::build_tiles(table, 64), weights, {1}), expected);
    EXPECT_GT(expected, 100);
  }
}

TEST(ErrorCount, AZeroScorePredictsMinusOne) {
  EncodedTable table = tests::random_table(100, 1, {}, true, 3);
  const std::vector<double> weights(table.dimension(), 0.0);
  EXPECT_EQ(error_count(tests::build_tiles(table), weights, {1}),
            std::count(table.targets.begin(), table.targets.end(), 1));
}

TEST(Scores, ComeInTheOrderOfTheRows) {
  for (const auto& table : tests::plain_and_curves(wide_table(500, true, 11))) {
    const std::vector<double> weights = tests::random_weights(table.dimension(), 5, 12);
    const std::vector<double> got = scores(tests::build_tiles(table, 64), weights, {2});
    ASSERT_EQ(got.size(), table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ASSERT_NEAR(got[row], static_cast<double>(tests::exact_score(table, row, weights)), 1e-14);
    }
  }
}

TEST(Steps, ShrinkForManyRowsSoThatNoTotalLeaves62Bits) {
  EXPECT_EQ(solver_bits(1), 40);
  EXPECT_EQ(solver_bits(std::size_t{1} << 22), 40);
  EXPECT_EQ(solver_bits((std::size_t{1} << 22) + 1), 39);
  EXPECT_EQ(solver_bits(std::size_t{1} << 40), 22);
  EXPECT_EQ(steps(Resolution::release, 100), 1 << 20);
  EXPECT_NO_THROW(steps(Resolution::release, std::size_t{1} << 42));
  EXPECT_THROW(steps(Resolution::release, (std::size_t{1} << 42) + 1), ArgumentError);
  EXPECT_THROW(steps(Resolution::solver, std::size_t{1} << 62), ArgumentError);
}

TEST(Sums, OfNoRowsAreZero) {
  const EncodedTable table = tests::random_table(0, 2, {3}, true, 1);
  const std::vector<double> weights(table.dimension(), 1.0);
  const data::TileSet tiles = tests::build_tiles(table);
  EXPECT_EQ(gradient_sum(tiles, {.loss = {}, .weights = weights}, Resolution::release, {1}),
            std::vector<std::int64_t>(6, 0));
  EXPECT_EQ(loss_sum(tiles, {}, 1, weights, {1}), 0);
  EXPECT_EQ(error_count(tiles, weights, {1}), 0);
}

TEST(Sums, RefuseBadArguments) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const EncodedTable table = tests::random_table(10, 2, {3}, true, 1);
  const data::TileSet tiles = tests::build_tiles(table);
  const std::vector<double> weights(table.dimension(), 1.0);
  for (const double bad : {nan, 0.0, -1.0, infinity, 1e-30, 1e30}) {
    for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
      EXPECT_THROW(gradient_sum(tiles, {.loss = {}, .slope_bound = bad, .weights = weights}, resolution, {1}),
                   ArgumentError);
    }
    EXPECT_THROW(loss_sum(tiles, {}, bad, weights, {1}), ArgumentError);
  }
  for (const double bad : {nan, infinity, -infinity, 1e30}) {
    std::vector<double> spoiled = weights;
    spoiled[2] = bad;
    EXPECT_THROW(gradient_sum(tiles, {.loss = {}, .weights = spoiled}, Resolution::release, {1}), ArgumentError);
    EXPECT_THROW(scores(tiles, spoiled, {1}), ArgumentError);
    EXPECT_THROW(error_count(tiles, spoiled, {1}), ArgumentError);
  }
  const std::vector<double> too_short(table.dimension() - 1, 1.0);
  EXPECT_THROW(scores(tiles, too_short, {1}), ArgumentError);
  EXPECT_THROW(scores(tiles, weights, {-1}), ArgumentError);
  const loss::Loss invalid{.kind = loss::LossKind::huber, .threshold = nan};
  EXPECT_THROW(gradient_sum(tiles, {.loss = invalid, .weights = weights}, Resolution::solver, {1}), ArgumentError);
  EXPECT_THROW(loss_sum(tiles, invalid, 1, weights, {1}), ArgumentError);
}

}  // namespace
}  // namespace dperm::engine
