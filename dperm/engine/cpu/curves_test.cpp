// SPDX-License-Identifier: Apache-2.0
// Curves, steps and surfaces in the passes: every integer that a tile can hold, on every instruction set, against the
// arithmetic of sums.md written out.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "dperm/core/error.hpp"
#include "dperm/data/tiles/knots.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/one_row.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

using tests::EncodedTable;
using tests::RealShape;
using tests::Wide;

constexpr std::uint32_t kPieces[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 62, 63};

// One column with every 16-bit integer, also the one that no encoder writes; targets that give slopes of all sizes.
EncodedTable every_cell(const RealShape& shape) {
  EncodedTable table;
  table.reals.resize(1);
  for (int q = -32768; q <= 32767; ++q) {
    table.reals[0].push_back(static_cast<std::int16_t>(q));
    table.targets.push_back(static_cast<std::int32_t>((static_cast<std::int64_t>(q) * 40503) % (1 << 30)));
  }
  table.shapes = {shape};
  return table;
}

// What a row of integer slope k adds for a feature of `value` / 32767, as sums.md has it.
std::int64_t entry(double k, std::int64_t value, Resolution resolution) {
  if (resolution == Resolution::release) {
    const float shrunk = static_cast<float>(k) * (0x1p-15f * (1 + 0x1p-15f - 0x1p-21f));
    return static_cast<std::int64_t>(shrunk * static_cast<float>(value));
  }
  const double shrunk = k * (0x1p-15 * (1 + 0x1p-15 + 0x1p-30 + 0x1p-45 - 0x1p-50));
  return static_cast<std::int64_t>(shrunk * static_cast<double>(value));
}

// Surfaces stand behind all other weights.
std::size_t first_surface(const EncodedTable& table) {
  EncodedTable without = table;
  without.pairs.clear();
  return without.dimension();
}

// Squared loss at weights 0 with slope bound 2: the slope is -target, exactly at solver resolution, and rounded to a
// float at release resolution.
std::vector<std::int64_t> expected_sum(const EncodedTable& table, Resolution resolution) {
  const double step_count = row_steps(resolution);
  const std::size_t surfaces = first_surface(table);
  std::vector<std::int64_t> out(table.dimension(), 0);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    double y = static_cast<double>(table.targets[row]) / (1 << 30);
    if (resolution == Resolution::release) y = static_cast<double>(static_cast<float>(y));
    const double k = std::trunc(-y * step_count);
    tests::for_each_feature(table, row, [&](std::size_t weight, std::int64_t value) {
      const auto slope = static_cast<std::int64_t>(k);
      const bool exact = weight == 0 || weight >= surfaces;
      out[weight] += exact ? slope * value / 32767 : entry(k, value, resolution);
    });
  }
  return out;
}

TEST(Curves, AddTheIntegersOfTheirKnotsForEveryCellAndNumberOfPieces) {
  for (const std::uint32_t pieces : kPieces) {
    for (const bool steps : {false, true}) {
      for (const bool from_zero : {false, true}) {
        const EncodedTable table = every_cell({pieces, steps, from_zero});
        const data::TileSet tiles = tests::build_tiles(table);
        const std::vector<double> weights(table.dimension(), 0.0);
        const GradientQuery query{{.kind = loss::LossKind::squared}, 2, weights};
        for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
          const auto expected = expected_sum(table, resolution);
          testing::for_each_target([&](const char* target) {
            ASSERT_EQ(gradient_sum(tiles, query, resolution, {1}), expected)
                << pieces << (steps ? " steps" : " pieces") << (from_zero ? " from zero on " : " on ") << target;
          });
        }
      }
    }
  }
}

TEST(Curves, ScoreEveryCellByTheKnotsNextToIt) {
  for (const std::uint32_t pieces : kPieces) {
    for (const bool from_zero : {false, true}) {
      const EncodedTable table = every_cell({pieces, pieces % 2 == 0, from_zero});
      const std::vector<double> weights = tests::random_weights(table.dimension(), 3, pieces);
      const std::vector<double> got = scores(tests::build_tiles(table), weights, {1});
      for (std::size_t row = 0; row < table.rows(); ++row) {
        ASSERT_NEAR(got[row], static_cast<double>(tests::exact_score(table, row, weights)), 1e-14) << pieces;
      }
    }
  }
}

TEST(Curves, OfSurfacesAddTheFourKnotsAroundAPoint) {
  for (const std::uint32_t pieces : {1u, 2u, 5u, 31u}) {
    EncodedTable table = tests::random_table(5000, 3, {}, false, pieces);
    for (std::size_t row = 0; row < 64; ++row) {  // corners, edges and what no encoder writes
      const std::int16_t ends[] = {-32768, -32767, 0, 1, 32766, 32767, -1, 16384};
      table.reals[0][row] = ends[row % 8];
      table.reals[1][row] = ends[row / 8];
    }
    for (const bool from_zero : {false, true}) {
      table.shapes = {{0, false, from_zero}, {3, false, false}, {2, true, true}};
      table.pairs = {{0, 1, pieces}, {2, 0, 3}};
      const std::vector<double> weights(table.dimension(), 0.0);
      const GradientQuery query{{.kind = loss::LossKind::squared}, 2, weights};
      for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
        EXPECT_EQ(gradient_sum(tests::build_tiles(table), query, resolution, {2}), expected_sum(table, resolution));
      }
    }
  }
}

// Saturated slopes, where a rounding up would show: knots of every value.
TEST(RowNorm, HoldsForEveryValueOfAKnot) {
  constexpr std::size_t kColumns = 128;
  EncodedTable table = tests::random_table(1, kColumns, {}, false, 1);
  table.shapes.assign(kColumns, {2, false, false});
  const std::vector<double> weights(table.dimension(), 0.0);
  for (int first = -32768; first <= 32767; first += static_cast<int>(kColumns)) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      table.reals[j][0] = static_cast<std::int16_t>(first + static_cast<int>(j));
    }
    for (const std::int32_t target : {1 << 30, (1 << 30) - 1, -1000000007}) {
      table.targets = {target};
      const data::TileSet tiles = tests::build_tiles(table, 64);
      for (const Resolution resolution : {Resolution::release, Resolution::solver}) {
        const GradientQuery query{{.kind = loss::LossKind::squared}, target == 1 << 30 ? 1.0 : 2.0, weights};
        const auto v = gradient_sum(tiles, query, resolution, {1});
        tests::for_each_feature(table, 0, [&](std::size_t weight, std::int64_t value) {
          ASSERT_LE(static_cast<Wide>(std::llabs(v[weight])) * 32767,
                    static_cast<Wide>(std::llabs(v[0])) * static_cast<Wide>(std::llabs(value)));
        });
      }
    }
  }
}

TEST(Knots, OfARowAreItsFeaturesAndAreCounted) {
  const EncodedTable table = tests::with_curves(tests::random_table(300, 9, {}, false, 8));
  const data::TileSet tiles = tests::build_tiles(table, 64);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<long double> expected = tests::features(table, row);
    expected[0] = 0;
    for (std::size_t j = 0; j < 9; ++j) {
      const std::size_t weight = tiles.layout().real_weight(j);
      if (weight != schema::kNoWeight) expected[weight] = 0;
    }
    std::vector<long double> got(table.dimension(), 0);
    std::size_t count = 0;
    data::for_each_knot(tiles.layout(), tiles.tile(row / 64), row % 64, [&](std::size_t weight, std::int32_t value) {
      got[weight] += static_cast<long double>(value) / 32767;
      ++count;
    });
    ASSERT_EQ(got, expected) << row;
    ASSERT_EQ(count, data::knots_per_row(tiles.layout()));
  }
}

TEST(ReadAs, IsTheSameRowsWithOtherShapes) {
  const EncodedTable plain = tests::random_table(700, 5, {3, 300}, true, 12), curved = tests::with_curves(plain);
  const std::vector<double> weights = tests::random_weights(curved.dimension(), 4, 13);
  const GradientQuery query{.loss = {}, .weights = weights};
  const auto expected = tests::sums_of(curved, 128).gradient(query, Resolution::release, {1});
  // Columns from zero differ in how cells are encoded as well, so the encodings are told apart by shape alone here.
  const auto read = tests::sums_of(plain, 128).read_as(tests::encoding_for(curved));
  EXPECT_EQ(read->dimension(), curved.dimension());
  EXPECT_EQ(read->columns(), curved.columns());
  EXPECT_EQ(read->gradient(query, Resolution::release, {2}), expected);
  const auto back = read->read_as(tests::encoding_for(plain));
  const std::vector<double> zeros(plain.dimension(), 0.0);
  EXPECT_EQ(back->gradient({.loss = {}, .weights = zeros}, Resolution::solver, {1}),
            tests::sums_of(plain).gradient({.loss = {}, .weights = zeros}, Resolution::solver, {1}));
  EXPECT_THROW(read->read_as(tests::encoding_for(tests::random_table(1, 4, {3, 300}, true, 1))), InternalError);
  EXPECT_THROW(read->read_as(tests::encoding_for(tests::random_table(1, 5, {3}, true, 1))), InternalError);
}

}  // namespace
}  // namespace dperm::engine
