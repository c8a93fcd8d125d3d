// SPDX-License-Identifier: Apache-2.0
// What one row can add to a gradient sum: exact integer comparisons, attacked with adversarial rows and neighbours.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "dperm/engine/cpu/sums.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/one_row.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

using tests::EncodedTable;
using tests::row_of;
using tests::square_norm;
using tests::Wide;

// Small weights give slopes of every size, large ones saturated slopes.
constexpr double kNorms[] = {0, 0.01, 1, 20, 1e6};

TEST(RowNorm, NeverExceedsStepsTimesTheRootOfTheColumns) {
  for (const loss::Loss& loss : tests::example_losses()) {
    for (const auto& table :
         tests::plain_and_curves(tests::random_table(60, 8, {3, 2}, loss::is_classification(loss.kind), 21))) {
      for (const double norm : kNorms) {
        const std::vector<double> weights = tests::random_weights(table.dimension(), norm, 22);
        for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
          const auto one = static_cast<Wide>(steps(resolution, 1));
          for (std::size_t row = 0; row < table.rows(); ++row) {
            const data::TileSet tiles = tests::build_tiles(row_of(table, row), 64);
            for (const double slope_bound : {1.0, 0.1}) {
              const auto v =
                  gradient_sum(tiles, {.loss = loss, .slope_bound = slope_bound, .weights = weights}, resolution, {1});
              ASSERT_LE(square_norm(v), one * one * table.columns());
              // The intercept holds the row's integer slope k; no coordinate may exceed |k| |u| in exact arithmetic.
              tests::for_each_feature(table, row, [&](std::size_t weight, std::int64_t value) {
                ASSERT_LE(static_cast<Wide>(std::llabs(v[weight])) * 32767,
                          static_cast<Wide>(std::llabs(v[0])) * static_cast<Wide>(std::llabs(value)))
                    << loss::name(loss.kind) << " row " << row << " weight " << weight;
              });
            }
          }
        }
      }
    }
  }
}

// The products nearest below an integer (2^40 * 32735 = -1 mod 32767) are where a rounding up would show.
TEST(RowNorm, HoldsForEveryFixedPointValue) {
  constexpr int kColumns = 256;
  EncodedTable table = tests::random_table(1, kColumns, {}, false, 1);
  const std::vector<double> weights(table.dimension(), 0.0);
  for (int first = 1; first <= 32767; first += kColumns) {
    for (int j = 0; j < kColumns; ++j) {
      table.reals[static_cast<std::size_t>(j)][0] = static_cast<std::int16_t>(std::min(first + j, 32767));
    }
    for (const std::int32_t target : {1 << 30, (1 << 30) - 1, -1000000007}) {
      table.targets = {target};
      const data::TileSet tiles = tests::build_tiles(table, 64);
      for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
        const GradientQuery query{.loss = {.kind = loss::LossKind::squared},
                                  .slope_bound = target == 1 << 30 ? 1.0 : 2.0,
                                  .weights = weights};
        const auto v = gradient_sum(tiles, query, resolution, {1});
        for (std::size_t j = 0; j < kColumns; ++j) {
          ASSERT_LE(static_cast<Wide>(std::llabs(v[1 + j])) * 32767,
                    static_cast<Wide>(std::llabs(v[0])) * static_cast<Wide>(table.reals[j][0]));
        }
      }
    }
  }
}

// No encoder writes such codes; a damaged tile must neither read outside a table nor exceed the norm.
TEST(RowNorm, HoldsForCodesOutOfRange) {
  EncodedTable table = tests::random_table(64, 2, {5, 70, 300, 70000}, true, 1);
  const std::vector<double> weights = tests::random_weights(table.dimension(), 3, 2);
  for (std::size_t row = 0; row < 64; ++row) {
    EncodedTable one = row_of(table, row);
    one.codes = {{6 + static_cast<std::uint32_t>(row)}, {255}, {65535}, {UINT32_MAX}};
    for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
      const auto v = gradient_sum(tests::build_tiles(one, 64), {.loss = {}, .weights = weights}, resolution, {1});
      const auto slope = static_cast<Wide>(std::llabs(v[0]));
      ASSERT_LE(square_norm(v), slope * slope * (1 + table.reals.size()));
    }
  }
}

TEST(RowNorm, IsReachedByARowOfExtremes) {
  EncodedTable table = tests::random_table(1, 4, {3, 2}, true, 1);
  for (auto& column : table.reals) column[0] = 32767;
  table.codes = {{1}, {0}};
  table.targets = {1};
  const std::vector<double> weights = tests::random_weights(table.dimension(), 0, 1);
  const auto v = gradient_sum(tests::build_tiles(table), {.loss = {}, .slope_bound = 0.5, .weights = weights},
                              Resolution::solver, {1});
  const double limit = steps(Resolution::solver, 1) * std::sqrt(static_cast<double>(table.columns()));
  EXPECT_GE(std::sqrt(static_cast<double>(square_norm(v))), limit * (1 - 1e-9));
}

// trunc(slope) from the other side: the computed slope may round, but its integer must be the one below.
TEST(RowNorm, SlopesAreTruncatedTowardZero) {
  const EncodedTable table = tests::random_table(2000, 0, {2000}, true, 31);
  EncodedTable numbered = table;
  for (std::size_t row = 0; row < numbered.rows(); ++row) {
    numbered.codes[0][row] = static_cast<std::uint32_t>(row);
    numbered.targets[row] = row % 2 == 0 ? 1 : -1;
  }
  std::vector<double> weights = tests::random_weights(table.dimension(), 40, 32);
  const auto v = gradient_sum(tests::build_tiles(numbered), {.loss = {}, .weights = weights}, Resolution::solver, {1});
  int below = 0;
  for (std::size_t row = 0; row < numbered.rows(); ++row) {
    const long double t = tests::exact_score(numbered, row, weights);
    const long double exact = tests::exact_slope({}, t, numbered.targets[row]) * 0x1p40L;
    const long double lost = std::fabs(exact) - static_cast<long double>(std::llabs(v[1 + row]));
    ASSERT_GE(lost, -0.01L) << "row " << row;
    ASSERT_LE(lost, 1.01L) << "row " << row;
    below += lost > 0.5L;
  }
  EXPECT_GT(below, 700) << "rounding to nearest would leave none";
}

TEST(Neighbours, NeverDifferByMoreThanTwiceTheRowNorm) {
  for (const loss::Loss& loss : tests::example_losses()) {
    const bool binary = loss::is_classification(loss.kind);
    for (const auto& table : tests::plain_and_curves(tests::random_table(90, 4, {3, 70, 300}, binary, 41))) {
      const EncodedTable others = tests::random_table(90, 4, {3, 70, 300}, binary, 42);
      const std::vector<double> weights = tests::random_weights(table.dimension(), 5, 43);
      const GradientQuery query{.loss = loss, .slope_bound = 0.7, .weights = weights};
      for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
        const auto base = gradient_sum(tests::build_tiles(table, 64), query, resolution, {1});
        const auto one = static_cast<Wide>(steps(resolution, table.rows()));
        for (std::size_t row = 0; row < table.rows(); ++row) {
          EncodedTable neighbour = table;
          for (std::size_t j = 0; j < table.reals.size(); ++j) neighbour.reals[j][row] = others.reals[j][row];
          for (std::size_t c = 0; c < table.codes.size(); ++c) neighbour.codes[c][row] = others.codes[c][row];
          neighbour.targets[row] = others.targets[row];
          auto difference = gradient_sum(tests::build_tiles(neighbour, 64), query, resolution, {1});
          for (std::size_t j = 0; j < difference.size(); ++j) difference[j] -= base[j];
          ASSERT_LE(square_norm(difference), 4 * one * one * table.columns()) << loss::name(loss.kind);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dperm::engine
