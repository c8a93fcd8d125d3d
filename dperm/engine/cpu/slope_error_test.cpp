// SPDX-License-Identifier: Apache-2.0
// The rounding bounds attacked: every row's integer slope and score against long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"
#include "dperm/engine/cpu/sums.hpp"
#include "dperm/engine/rounding_error.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

using tests::EncodedTable;

// Each row has a category of its own with weight 0, so its integer slope can be read off the gradient.
EncodedTable numbered_table(std::size_t rows, std::size_t reals, bool binary, std::uint64_t seed) {
  EncodedTable table = tests::random_table(rows, reals, {7, 40, static_cast<std::uint32_t>(rows)}, binary, seed);
  for (std::size_t row = 0; row < rows; ++row) table.codes[2][row] = static_cast<std::uint32_t>(row);
  return table;
}

// The weight of the first of these categories; behind them only surfaces have weights.
std::size_t first_number(const EncodedTable& table) {
  std::size_t first = table.dimension() - table.rows();
  for (const tests::RealPair& pair : table.pairs) first -= std::size_t{pair.pieces + 1} * (pair.pieces + 1);
  return first;
}

TEST(SlopeError, HoldsForEveryRowAtEveryResolution) {
  constexpr std::size_t kRows = 3000;
  for (const loss::Loss& loss : tests::example_losses()) {
    const bool kinked = std::isinf(loss::constants(loss, 1).smoothness);
    for (const std::size_t reals : {1u, 30u}) {
      for (const auto& table :
           tests::plain_and_curves(numbered_table(kRows, reals, loss::is_classification(loss.kind), 61))) {
        const data::TileSet tiles = tests::build_tiles(table);
        for (const double norm : {0.3, 4.0, 100.0, 1e5}) {
          std::vector<double> weights = tests::random_weights(table.dimension(), 1, 62);
          std::fill_n(weights.begin() + static_cast<std::ptrdiff_t>(first_number(table)), kRows, 0.0);
          const double scale = norm / tests::norm_of(weights);
          for (double& w : weights) w *= scale;
          for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
            for (const double slope_bound : {1.0, 0.25, 7.0}) {
              const double step_count = steps(resolution, kRows);
              const SlopeError bound = slope_error(loss, slope_bound, norm * (1 + 1e-12), table.columns(), resolution);
              const auto v =
                  gradient_sum(tiles, {.loss = loss, .slope_bound = slope_bound, .weights = weights}, resolution, {1});
              for (std::size_t row = 0; row < kRows; ++row) {
                const long double t = tests::exact_score(table, row, weights);
                const long double y = tests::encoded_target(loss, table.targets[row]);
                const long double s = tests::exact_slope(loss, t, y) / static_cast<long double>(slope_bound);
                const long double exact = std::clamp(s, -1.0L, 1.0L) * static_cast<long double>(step_count);
                const auto got = static_cast<long double>(v[first_number(table) + row]);
                ASSERT_LE(std::fabs(got - exact), static_cast<long double>(step_count * bound.slope) + 1)
                    << loss::name(loss.kind) << " norm " << norm << " bound " << slope_bound;
              }
            }
          }
          if (kinked) continue;
          const SlopeError solver = slope_error(loss, 1, norm, table.columns(), Resolution::solver);
          const std::vector<double> computed = scores(tiles, weights, {1});
          for (std::size_t row = 0; row < kRows; ++row) {
            const long double t = tests::exact_score(table, row, weights);
            ASSERT_LE(std::fabs(static_cast<long double>(computed[row]) - t), static_cast<long double>(solver.score));
          }
        }
      }
    }
  }
}

TEST(SlopeError, CoversEveryCoordinateOfSingleRows) {
  for (const loss::Loss& loss : tests::example_losses()) {
    for (const auto& table :
         tests::plain_and_curves(tests::random_table(60, 6, {5}, loss::is_classification(loss.kind), 63))) {
      const std::vector<double> weights = tests::random_weights(table.dimension(), 3, 64);
      for (std::size_t row = 0; row < table.rows(); ++row) {
        EncodedTable one = table;
        for (std::size_t j = 0; j < table.reals.size(); ++j) one.reals[j] = {table.reals[j][row]};
        one.codes[0] = {table.codes[0][row]};
        one.targets = {table.targets[row]};
        const data::TileSet tiles = tests::build_tiles(one, 64);
        for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
          const double step_count = steps(resolution, 1);
          const SlopeError bound = slope_error(loss, 1, 3, table.columns(), resolution);
          const auto v = gradient_sum(tiles, {.loss = loss, .weights = weights}, resolution, {1});
          const long double t = tests::exact_score(one, 0, weights);
          const long double y = tests::encoded_target(loss, one.targets[0]);
          const long double c =
              std::clamp(tests::exact_slope(loss, t, y), -1.0L, 1.0L) * static_cast<long double>(step_count);
          const auto u = tests::features(one, 0);
          long double square = 0;
          for (std::size_t j = 0; j < u.size(); ++j) {
            const long double off = static_cast<long double>(v[j]) - c * u[j];
            ASSERT_LE(std::fabs(off), static_cast<long double>(step_count * bound.slope + kTruncationSteps));
            square += off * off;
          }
          ASSERT_LE(std::sqrt(square / static_cast<long double>(table.columns())),
                    static_cast<long double>(step_count * bound.slope + kTruncationSteps));
        }
      }
    }
  }
}

TEST(SlopeError, IsSmallForSmoothLossesAndTheJumpForKinks) {
  const auto release = [](loss::LossKind kind) {
    return slope_error({.kind = kind}, 1, 4, 15, Resolution::release).slope;
  };
  EXPECT_LT(release(loss::LossKind::logistic), 3e-6);
  EXPECT_LT(release(loss::LossKind::smoothed_hinge), 6e-6);
  EXPECT_LT(release(loss::LossKind::huber), 1e-5);
  EXPECT_GE(release(loss::LossKind::hinge), 1);
  EXPECT_EQ(release(loss::LossKind::absolute), 2);
  EXPECT_LT(slope_error({}, 1, 4, 15, Resolution::solver).slope, 1e-14);
}

TEST(SlopeError, RefusesBadArguments) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(slope_error({}, nan, 1, 5, Resolution::release), ArgumentError);
  EXPECT_THROW(slope_error({}, 1, nan, 5, Resolution::release), ArgumentError);
  EXPECT_THROW(slope_error({}, 1, std::numeric_limits<double>::infinity(), 5, Resolution::release), ArgumentError);
  EXPECT_THROW(slope_error({}, 1, 1, 0, Resolution::release), ArgumentError);
}

}  // namespace
}  // namespace dperm::engine
