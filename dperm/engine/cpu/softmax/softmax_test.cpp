// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/softmax/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "dperm/core/error.hpp"
#include "dperm/engine/rounding_error.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/one_row.hpp"
#include "tests/support/row_sums.hpp"
#include "tests/support/softmax_reference.hpp"

namespace dperm::engine {
namespace {

using tests::EncodedTable;
using tests::row_of;
using tests::square_norm;
using tests::Wide;

SoftmaxSums sums_of(const EncodedTable& table, std::size_t classes, const std::vector<double>& weights,
                    std::size_t height = 0, Threads threads = {1}, Resolution resolution = Resolution::solver) {
  return softmax_sums(tests::build_tiles(table, height), classes, 8, weights, resolution, threads);
}

constexpr double kNorms[] = {0, 0.3, 20, 1e5};
constexpr Resolution kResolutions[] = {Resolution::release, Resolution::solver};

class SoftmaxAt : public ::testing::TestWithParam<Resolution> {
 protected:
  static double step_count(std::size_t rows) { return steps(GetParam(), rows); }
  static SoftmaxSums sums_at(const EncodedTable& table, std::size_t classes, const std::vector<double>& weights) {
    return sums_of(table, classes, weights, 64, {1}, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(BothResolutions, SoftmaxAt, ::testing::ValuesIn(kResolutions));

TEST_P(SoftmaxAt, OneRowAddsAtMostTheRootOfTwiceTheColumns) {
  for (const std::size_t classes : {2u, 3u, 11u}) {
    for (const auto& table : tests::plain_and_curves(tests::class_table(60, 5, {3, 2}, classes, 21))) {
      const auto one = static_cast<Wide>(step_count(1));
      for (const double norm : kNorms) {
        const auto weights = tests::random_weights(classes * table.dimension(), norm, 22);
        for (std::size_t row = 0; row < table.rows(); ++row) {
          const SoftmaxSums sums = sums_at(row_of(table, row), classes, weights);
          ASSERT_LE(square_norm(sums.gradient), 2 * one * one * table.columns()) << norm;
          // The classes' integer slopes are in the intercepts: the shares of the others add up to at most 1.
          Wide others = 0;
          for (std::size_t k = 0; k < classes; ++k) {
            const std::int64_t slope = sums.gradient[k * table.dimension()];
            const bool own = k == static_cast<std::size_t>(table.targets[row]);
            ASSERT_TRUE(own ? slope <= 0 : slope >= 0);
            if (!own) others += static_cast<Wide>(slope);
            tests::for_each_feature(table, row, [&](std::size_t weight, std::int64_t value) {
              ASSERT_LE(static_cast<Wide>(std::llabs(sums.gradient[k * table.dimension() + weight])) * 32767,
                        static_cast<Wide>(std::llabs(slope)) * static_cast<Wide>(std::llabs(value)));
            });
          }
          ASSERT_LE(others, one);
        }
      }
    }
  }
}

// Nine equal shares of 2^40 steps end in .78: rounded to nearest they would add up to more than 2^40.
TEST_P(SoftmaxAt, EqualSharesOfTheOtherClassesStayWithinOne) {
  EncodedTable table = tests::random_table(1, 0, {}, true, 1);
  table.targets = {0};
  for (std::size_t classes = 2; classes <= 40; ++classes) {
    std::vector<double> weights(classes, 0.0);
    weights[0] = -1e4;
    const SoftmaxSums sums = sums_at(table, classes, weights);
    std::int64_t others = 0;
    for (std::size_t k = 1; k < classes; ++k) others += sums.gradient[k];
    EXPECT_LE(others, static_cast<std::int64_t>(step_count(1))) << classes;
    EXPECT_GT(others, static_cast<std::int64_t>(step_count(1)) - 50) << classes;
  }
}

TEST_P(SoftmaxAt, ReplacingAnyRowMovesTheSumByAtMostTwoRows) {
  const std::size_t classes = 4;
  const EncodedTable others = tests::class_table(40, 4, {4}, classes, 6);
  for (const EncodedTable& table : tests::plain_and_curves(tests::class_table(40, 4, {4}, classes, 5))) {
    const auto one = static_cast<Wide>(step_count(40));
    const auto weights = tests::random_weights(classes * table.dimension(), 9, 7);
    const auto before = sums_at(table, classes, weights).gradient;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      EncodedTable neighbour = table;
      for (std::size_t j = 0; j < table.reals.size(); ++j) neighbour.reals[j][row] = others.reals[j][row];
      neighbour.codes[0][row] = others.codes[0][row];
      neighbour.targets[row] = others.targets[row];
      auto change = sums_at(neighbour, classes, weights).gradient;
      for (std::size_t j = 0; j < change.size(); ++j) change[j] -= before[j];
      ASSERT_LE(square_norm(change), 8 * one * one * table.columns());
    }
  }
}

TEST_P(SoftmaxAt, EveryRowIsWithinTheStatedErrorOfTheTrueGradientAndLoss) {
  for (const std::size_t classes : {2u, 7u, 40u}) {
    EncodedTable plain = tests::class_table(100, 20, {7, 3}, classes, 31);
    plain.reals[1] = plain.reals[0];
    for (const EncodedTable& table : tests::plain_and_curves(plain)) {
      for (const bool cancelling : {false, true}) {
        for (const double each_norm : kNorms) {
          auto weights = tests::random_weights(classes * table.dimension(), each_norm, 32);
          // Scores of size 1 as differences of large numbers: the rounding of scores shows in the shares.
          for (std::size_t k = 0; cancelling && k < classes; ++k) {
            weights[k * table.dimension() + 1] += 1e6 / static_cast<double>(k + 1);
            weights[k * table.dimension() + 2] -= 1e6 / static_cast<double>(k + 1);
          }
          const double norm = tests::norm_of(weights);
          const double one = step_count(1);
          const SoftmaxError error = softmax_error(classes, norm * (1 + 1e-12), table.columns());
          const auto m = static_cast<long double>(table.columns());
          for (std::size_t row = 0; row < table.rows(); ++row) {
            const SoftmaxSums sums = sums_at(row_of(table, row), classes, weights);
            const tests::ExactRow exact = tests::exact_softmax(table, row, classes, weights);
            const auto u = tests::features(table, row);
            long double square = 0;
            for (std::size_t k = 0; k < classes; ++k) {
              for (std::size_t j = 0; j < u.size(); ++j) {
                const auto got = static_cast<long double>(sums.gradient[k * u.size() + j]);
                const long double off = got - static_cast<long double>(one) * exact.slopes[k] * u[j];
                square += off * off;
              }
            }
            const auto bound = static_cast<long double>(
                one * error.slopes + kSoftmaxKnotTruncationSteps * std::sqrt(static_cast<double>(classes)));
            ASSERT_LE(std::sqrt(square), std::sqrt(m) * bound) << classes << " classes, norm " << norm;
            const long double loss = std::fmin(exact.loss / 8, 1.0L) * static_cast<long double>(one);
            ASSERT_NEAR(static_cast<double>(static_cast<long double>(sums.loss) - loss), 0, 2 + one * error.score);
          }
        }
      }
    }
  }
}

TEST(Softmax, IsTheSameForThreadsHeightsOrderAndInstructionSets) {
  const std::size_t classes = 5;
  for (const auto& table : tests::plain_and_curves(tests::class_table(1000, 3, {3, 300}, classes, 41))) {
    const auto weights = tests::random_weights(classes * table.dimension(), 8, 42);
    const SoftmaxSums expected = sums_of(table, classes, weights);
    EncodedTable reversed = table;
    for (auto& column : reversed.reals) std::reverse(column.begin(), column.end());
    for (auto& column : reversed.codes) std::reverse(column.begin(), column.end());
    std::reverse(reversed.targets.begin(), reversed.targets.end());
    const auto expect_same = [&](const SoftmaxSums& got, const std::string& what) {
      EXPECT_EQ(got.gradient, expected.gradient) << what;
      EXPECT_EQ(got.loss, expected.loss) << what;
    };
    expect_same(sums_of(table, classes, weights, 64, {3}), "threads");
    expect_same(sums_of(table, classes, weights, 4096), "height");
    expect_same(sums_of(reversed, classes, weights), "order");
    testing::for_each_target([&](const char* target) { expect_same(sums_of(table, classes, weights), target); });
  }
}

TEST(Softmax, WithTwoClassesItIsTheLogisticLoss) {
  EncodedTable table = tests::class_table(500, 3, {4}, 2, 51);
  const std::size_t d = table.dimension();
  const auto weights = tests::random_weights(d, 6, 52);
  std::vector<double> both(2 * d, 0.0);
  std::copy(weights.begin(), weights.end(), both.begin() + static_cast<std::ptrdiff_t>(d));
  const SoftmaxSums sums = sums_of(table, 2, both);
  for (auto& target : table.targets) target = target == 1 ? 1 : -1;
  const data::TileSet tiles = tests::build_tiles(table);
  const auto logistic =
      gradient_sum(tiles, {.loss = {}, .slope_bound = 1, .weights = weights}, Resolution::solver, {1});
  for (std::size_t j = 0; j < d; ++j) {
    EXPECT_NEAR(static_cast<double>(sums.gradient[d + j] - logistic[j]), 0, 3 * 500);
    EXPECT_NEAR(static_cast<double>(sums.gradient[j] + logistic[j]), 0, 3 * 500);
  }
  EXPECT_NEAR(static_cast<double>(sums.loss - loss_sum(tiles, {}, 8, weights, {1})), 0, 3 * 500);
}

TEST(Softmax, RefusesBadArguments) {
  const EncodedTable table = tests::class_table(10, 1, {}, 3, 1);
  const data::TileSet tiles = tests::build_tiles(table);
  const std::vector<double> weights(3 * table.dimension(), 0.0);
  EXPECT_NO_THROW(softmax_sums(tiles, 3, 1, weights, Resolution::solver, {1}));
  EXPECT_THROW(softmax_sums(tiles, 1, 1, weights, Resolution::solver, {1}), ArgumentError);
  EXPECT_THROW(softmax_sums(tiles, 4, 1, weights, Resolution::solver, {1}), ArgumentError);
  EXPECT_THROW(softmax_sums(tiles, 3, 0, weights, Resolution::solver, {1}), ArgumentError);
  for (const double bad : {std::nan(""), 1e19, HUGE_VAL}) {
    auto wrong = weights;
    wrong[2] = bad;
    EXPECT_THROW(softmax_sums(tiles, 3, 1, wrong, Resolution::solver, {1}), ArgumentError);
  }
  EXPECT_THROW(softmax_error(3, std::nan(""), 5), ArgumentError);
}

}  // namespace
}  // namespace dperm::engine
