// SPDX-License-Identifier: Apache-2.0
// Clipped gradients of one linear score in a pass over tiles: what one row adds, in exact integers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "dperm/core/error.hpp"
#include "dperm/engine/network/clipped_error.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/one_row.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

using network::ClippedQuery;
using network::kClipSteps;
using tests::EncodedTable;
using tests::row_of;
using tests::square_norm;
using tests::Wide;
using Sum = std::vector<std::int64_t>;
using Rows = std::vector<std::size_t>;

constexpr Wide kClipSquare = static_cast<Wide>(kClipSteps) * static_cast<Wide>(kClipSteps);
constexpr double kClips[] = {0x1p-60, 1e-3, 0.3, 1, 7, 1e9, 0x1p60};

ClippedQuery query_of(const EncodedTable& table, const loss::Loss& loss, const std::vector<double>& weights,
                      double clip) {
  return {{.inputs = table.dimension()}, loss, weights, clip};
}

Rows numbers(std::size_t first, std::size_t end) {
  Rows out(end - first);
  std::iota(out.begin(), out.end(), first);
  return out;
}

Sum operator+(Sum a, const Sum& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

TEST(ClippedPass, NoRowIsLongerThanTheClipWhateverItHolds) {
  for (const loss::Loss& loss : tests::example_losses()) {
    const EncodedTable base = tests::random_table(12, 8, {3, 70}, loss::is_classification(loss.kind), 4);
    for (const EncodedTable& table : tests::plain_and_curves(base)) {
      const TileSums sums = tests::sums_of(table);
      for (const double norm : {0.0, 1e-30, 0.1, 3.0, 1e6, 1e15, 0x1p76}) {
        const std::vector<double> weights = tests::random_weights(table.dimension(), norm, 5);
        for (const double clip : kClips) {
          for (std::size_t row = 0; row < table.rows(); ++row) {
            const Sum v = sums.clipped_gradient(query_of(table, loss, weights, clip), Rows{row}, {1});
            ASSERT_LE(square_norm(v), kClipSquare) << loss::name(loss.kind) << " norm " << norm << " clip " << clip;
            for (const std::int64_t x : v) ASSERT_EQ(x % 16, 0);
          }
        }
      }
    }
  }
}

// Whether 2^20 / sqrt(m), rounded up in float, reaches an integer that is too large.
bool is_rounded_up(std::size_t m) {
  const auto limit = static_cast<std::int64_t>(0x1p20f / std::sqrt(static_cast<float>(m)));
  return limit * limit * static_cast<std::int64_t>(m) > std::int64_t{1} << 40;
}

// Every entry of a row of categories is the integer slope itself: no truncation helps.
TEST(ClippedPass, NoRowIsLongerForAnyNumberOfColumns) {
  int hard = 0;
  for (std::size_t columns = 0; columns < 2500; ++columns) {
    hard += is_rounded_up(columns + 1);
    if (columns > 50 && !is_rounded_up(columns + 1)) continue;
    EncodedTable table;
    table.levels.assign(columns, 1);
    table.codes.assign(columns, {0});
    table.targets = {1 << 30};
    const std::vector<double> weights(table.dimension(), 0.0);
    const Sum v = tests::sums_of(table, 64).clipped_gradient(
        query_of(table, {.kind = loss::LossKind::absolute}, weights, 0.01), Rows{0}, {1});
    ASSERT_LE(square_norm(v), kClipSquare) << columns;
    ASSERT_GE(std::sqrt(static_cast<double>(square_norm(v))), 0.999 * static_cast<double>(kClipSteps)) << columns;
  }
  EXPECT_GT(hard, 0);
}

// Many numbers whose squares are added in float.
TEST(ClippedPass, NoRowIsLongerWhereNormsAreLongSums) {
  for (const std::size_t reals : {40u, 300u, 2000u}) {
    EncodedTable table = tests::random_table(30, reals, {}, false, reals);
    std::fill(table.targets.begin(), table.targets.end(), 1 << 30);
    for (std::size_t j = 0; j < reals; ++j) table.reals[j][0] = 32767;
    for (std::size_t j = 0; j < reals; ++j) table.reals[j][1] = -32768;  // no encoder writes it
    for (const bool curves : {false, true}) {
      if (curves) table.shapes.assign(reals, {7, false, false});
      const TileSums sums = tests::sums_of(table, 64);
      const std::vector<double> weights(table.dimension(), 0.0);
      const ClippedQuery query = query_of(table, {.kind = loss::LossKind::absolute}, weights, 1e-3);
      for (std::size_t row = 0; row < table.rows(); ++row) {
        const Sum v = sums.clipped_gradient(query, Rows{row}, {1});
        ASSERT_LE(square_norm(v), kClipSquare) << reals << " row " << row;
        ASSERT_GE(std::sqrt(static_cast<double>(square_norm(v))), 0.999 * static_cast<double>(kClipSteps));
      }
    }
  }
}

TEST(ClippedPass, IsTheSumOfItsRowsWhateverTheSample) {
  for (const double norm : {1.0, 1e8}) {
    for (const EncodedTable& table : tests::plain_and_curves(tests::random_table(400, 5, {4, 300}, true, 7))) {
      const std::vector<double> weights = tests::random_weights(table.dimension(), norm, 8);
      const ClippedQuery query = query_of(table, {}, weights, 0.4);
      std::vector<Sum> rows;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        rows.push_back(tests::sums_of(row_of(table, row)).clipped_gradient(query, Rows{0}, {1}));
      }
      for (const std::size_t height : {64u, 512u}) {
        const TileSums sums = tests::sums_of(table, height);
        for (const std::size_t step : {1u, 2u, 7u, 129u, 1000u}) {
          Rows sample;
          Sum expected(table.dimension(), 0);
          for (std::size_t row = step == 1 ? 0 : 3; row < table.rows(); row += step) {
            sample.push_back(row);
            expected = expected + rows[row];
          }
          for (const int threads : {1, 3}) {
            ASSERT_EQ(sums.clipped_gradient(query, sample, {threads}), expected) << step << " height " << height;
          }
        }
        EXPECT_EQ(sums.clipped_gradient(query, Rows{}, {1}), Sum(table.dimension(), 0));
        // All but one: the sample that leaves the shortest way.
        Rows rest = numbers(0, table.rows());
        rest.erase(rest.begin() + 77);
        EXPECT_EQ(sums.clipped_gradient(query, rest, {1}) + rows[77],
                  sums.clipped_gradient(query, numbers(0, table.rows()), {1}));
      }
    }
  }
}

TEST(ClippedPass, OfNeighboursDiffersByNoMoreThanTheSensitivity) {
  const Rows sample = numbers(2, 30);
  for (const loss::Loss& loss : tests::example_losses()) {
    const bool binary = loss::is_classification(loss.kind);
    const EncodedTable others = tests::random_table(40, 4, {3, 70}, binary, 10);
    for (const EncodedTable& table : tests::plain_and_curves(tests::random_table(40, 4, {3, 70}, binary, 9))) {
      const std::vector<double> weights = tests::random_weights(table.dimension(), 5, 11);
      const ClippedQuery query = query_of(table, loss, weights, 0.05);
      const Sum before = tests::sums_of(table).clipped_gradient(query, sample, {1});
      for (std::size_t row = 0; row < 40; ++row) {
        EncodedTable changed = table;
        for (std::size_t j = 0; j < table.reals.size(); ++j) changed.reals[j][5] = others.reals[j][row];
        for (std::size_t c = 0; c < table.codes.size(); ++c) changed.codes[c][5] = others.codes[c][row];
        changed.targets[5] = others.targets[row];
        Sum difference = tests::sums_of(changed).clipped_gradient(query, sample, {1});
        for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= before[i];
        ASSERT_LE(square_norm(difference), 4 * kClipSquare) << loss::name(loss.kind);
      }
    }
  }
}

// The norm that rows are clipped by counts a category and a surface as 1, whatever a row has there.
long double clip_norm(const EncodedTable& table, std::size_t row) {
  EncodedTable numbers_alone = table;
  numbers_alone.levels.clear();
  numbers_alone.pairs.clear();
  long double square = static_cast<long double>(table.levels.size() + table.pairs.size());
  for (const long double u : tests::features(numbers_alone, row)) square += u * u;
  return std::sqrt(square);
}

TEST(ClippedPass, IsTheClippedGradientUpToTheDocumentedError) {
  int clipped = 0, whole = 0;
  for (const loss::Loss& loss : tests::example_losses()) {
    if (std::isinf(loss::constants(loss, 1).smoothness)) continue;  // kinks: RowError.*
    const EncodedTable base = tests::random_table(40, 6, {3, 70}, loss::is_classification(loss.kind), 14);
    for (const EncodedTable& table : tests::plain_and_curves(base)) {
      const TileSums sums = tests::sums_of(table);
      const std::vector<double> weights = tests::random_weights(table.dimension(), 1, 15);
      const double least = network::least_clip({{.inputs = table.dimension()}, loss, table.columns(), 1});
      const auto m = static_cast<double>(table.columns());
      for (const double clip : {least / 3, least}) {
        // Of rows that are not clipped; clipping rounds the norm in addition.
        const auto error = network::row_error({{.inputs = table.dimension()}, loss, table.columns(), 1}, least);
        const double smooth = loss::constants(loss, 10).smoothness * std::sqrt(m) * error.score;
        const double allowed = error.gradient + smooth + clip * 4 * m * 0x1p-24;
        for (std::size_t row = 0; row < table.rows(); ++row) {
          const auto u = tests::features(table, row);
          long double score = 0, square = 0;
          for (std::size_t j = 0; j < u.size(); ++j) score += u[j] * static_cast<long double>(weights[j]);
          const long double s = tests::exact_slope(loss, score, tests::encoded_target(loss, table.targets[row]));
          const long double limit = static_cast<long double>(clip) / clip_norm(table, row);
          (std::fabs(s) > limit ? clipped : whole)++;
          const Sum v = sums.clipped_gradient(query_of(table, loss, weights, clip), Rows{row}, {1});
          for (std::size_t j = 0; j < u.size(); ++j) {
            const long double got = static_cast<long double>(v[j]) * static_cast<long double>(network::step_size(clip));
            const long double off = got - std::clamp(s, -limit, limit) * u[j];
            square += off * off;
          }
          ASSERT_LE(std::sqrt(square), allowed) << loss::name(loss.kind) << " clip " << clip << " row " << row;
        }
      }
    }
  }
  EXPECT_GT(clipped, 50);
  EXPECT_GT(whole, 200);
}

TEST(ClippedPass, IsTheSameForEveryInstructionSetThreadsAndHeight) {
  for (const loss::Loss& loss : tests::example_losses()) {
    const EncodedTable base = tests::random_table(900, 9, {2, 64, 300}, loss::is_classification(loss.kind), 16);
    const EncodedTable table = tests::with_curves(base);
    const std::vector<double> weights = tests::random_weights(table.dimension(), 5, 17);
    const ClippedQuery query = query_of(table, loss, weights, 0.9);
    Rows sample = numbers(0, 900);
    std::erase_if(sample, [](std::size_t row) { return row % 3 == 1; });
    const TileSums sums = tests::sums_of(table);
    const Sum expected = sums.clipped_gradient(query, sample, {1});
    EXPECT_EQ(tests::sums_of(table, 64).clipped_gradient(query, sample, {2}), expected);
    EXPECT_EQ(tests::sums_of(table, 576).clipped_gradient(query, sample, {3}), expected);
    int targets = 0;
    testing::for_each_target([&](const char* target) {
      EXPECT_EQ(sums.clipped_gradient(query, sample, {1}), expected) << loss::name(loss.kind) << " on " << target;
      ++targets;
    });
    EXPECT_GE(targets, 2) << "nothing was compared";
  }
}

TEST(ClippedPass, RefusesBadArguments) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const EncodedTable table = tests::random_table(5, 2, {3}, true, 18);
  const TileSums sums = tests::sums_of(table);
  const std::vector<double> weights(table.dimension(), 0.1);
  const auto sum = [&](const ClippedQuery& query, const Rows& rows) { return sums.clipped_gradient(query, rows, {1}); };
  EXPECT_NO_THROW(sum(query_of(table, {}, weights, 1), {0, 4}));
  for (const double clip : {nan, infinity, 0.0, -1.0, 1e-30, 1e30}) {
    EXPECT_THROW(sum(query_of(table, {}, weights, clip), {0}), ArgumentError) << clip;
  }
  for (const Rows& rows : {Rows{0, 0}, Rows{1, 0}, Rows{5}}) {
    EXPECT_THROW(sum(query_of(table, {}, weights, 1), rows), ArgumentError);
  }
  for (const double bad : {nan, infinity, -infinity, 1e30}) {
    std::vector<double> spoiled = weights;
    spoiled[2] = bad;
    EXPECT_THROW(sum(query_of(table, {}, spoiled, 1), {0}), ArgumentError) << bad;
  }
  const std::vector<double> fewer(table.dimension() - 1, 0.1);
  EXPECT_THROW(sum(query_of(table, {}, fewer, 1), {0}), ArgumentError);
  EXPECT_THROW(sum({{.inputs = table.dimension() - 1}, {}, fewer, 1}, {0}), ArgumentError);
  for (const auto kind : {loss::LossKind::softmax, loss::LossKind::zero_one}) {
    EXPECT_THROW(sum(query_of(table, {.kind = kind}, weights, 1), {0}), ArgumentError);
  }
  EXPECT_THROW(sums.clipped_gradient(query_of(table, {}, weights, 1), Rows{0}, {-1}), ArgumentError);
  // Norms in float have an error that grows with the columns; the widest network bounds those.
  const EncodedTable wide = tests::random_table(1, 0, {static_cast<std::uint32_t>(network::kMaximumWidth)}, true, 1);
  const std::vector<double> many(wide.dimension(), 0.0);
  EXPECT_THROW(tests::sums_of(wide).clipped_gradient(query_of(wide, {}, many, 1), Rows{0}, {1}), ArgumentError);
}

TEST(ClippedMargin, LeavesRoomForEveryNumberOfColumns) {
  for (std::size_t columns = 1; columns <= network::kMaximumWidth; columns = columns * 5 / 4 + 1) {
    EXPECT_GT(network::clipped_margin(columns), 0.98) << columns;
    EXPECT_LT(network::clipped_margin(columns) * (1 + (static_cast<double>(columns) / 2 + 9) * 0x1p-24), 1) << columns;
  }
}

}  // namespace
}  // namespace dperm::engine
