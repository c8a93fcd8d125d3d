// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/judged.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "dperm/core/error.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/parted_sums.hpp"

namespace dperm::engine {
namespace {

const std::vector<double> kEdges = {-0.4, 0, 0.3};

TEST(Judged, RowsCountInTheCellOfTheirClassBinAndGroup) {
  const auto table = tests::random_table(700, 2, {3}, true, 5);
  const auto weights = tests::random_weights(table.dimension(), 2, 6);
  std::vector<std::int64_t> plain(4 * 8, 0), by_answer(4, 0);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double score = tests::dot(weights, tests::encoded_row(table, row));
    std::size_t bin = 0;
    while (bin < kEdges.size() && kEdges[bin] < score) ++bin;
    const bool positive = table.targets[row] > 0;
    ++plain[std::min<std::size_t>(table.codes[0][row], 3) * 8 + (positive ? 4 : 0) + bin];
    ++by_answer[(positive ? 2u : 0u) + (score > 0 ? 1u : 0u)];
  }
  const TileSums sums = tests::sums_of(table);
  EXPECT_EQ(sums.judged({LinearModel{weights}, ScoreCells{kEdges}, 0}, {2}), plain);
  EXPECT_EQ(sums.judged({LinearModel{weights}, AnswerCells{2}}, {1}), by_answer);
  std::vector<std::int64_t> all(8, 0);
  for (std::size_t i = 0; i < plain.size(); ++i) all[i % 8] += plain[i];
  EXPECT_EQ(sums.judged({LinearModel{weights}, ScoreCells{kEdges}}, {1}), all);
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), std::int64_t{0}), 700);
}

TEST(Judged, AnswersOfClassesAreTheLargestOutput) {
  tests::EncodedTable table{{{20000, -20000, 100}}, {}, {}, {0, 2, 7}, 3};
  // Scores of the classes: u, -u, 0.2 (at weights of the intercept and the column).
  const std::vector<double> weights = {0, 1, 0, -1, 0.2, 0};
  const TileSums sums = tests::sums_of(table);
  // Rows: (class 0, answer 0), (class 2, answer 1), (beyond the list: class 2, answer 2).
  EXPECT_EQ(sums.judged({LinearModel{weights, 3}, AnswerCells{3}}, {1}),
            (std::vector<std::int64_t>{1, 0, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(sums.judged({LinearModel{weights, 3}, AnswerCells{3, false}}, {1}),
            (std::vector<std::int64_t>{0, 1, 0, 0, 1, 1}));
}

TEST(Judged, ResidualsAreTruncatedAndClipped) {
  constexpr std::int32_t kOne = schema::kTargetOne;
  // Scores -1, 0.5 and 1 (beyond the range, moved into it); targets 1, -0.25 and 0.75.
  const tests::EncodedTable table{{{-32767, 16384, 32767}}, {}, {}, {kOne, -kOne / 4, kOne / 4 * 3}};
  const std::vector<double> weights = {0, std::sqrt(2.0) * 1.2};
  const auto sums = tests::sums_of(table).judged({LinearModel{weights}, ResidualCells{2}}, {1});
  const double s = static_cast<double>(kResidualSteps), p = 1.2 * 16384 / 32767.0;
  const auto trunc = [&](double x) { return static_cast<std::int64_t>(s * x); };
  EXPECT_NEAR(static_cast<double>(sums[0]), s * (1 - 0.25 + 0.75) / 2, 1);
  EXPECT_NEAR(static_cast<double>(sums[1]), s * (1 + 0.0625 + 0.5625), 1);
  EXPECT_NEAR(static_cast<double>(sums[2]), s * (4 + std::pow(0.25 + p, 2) + 0.0625), 2);
  EXPECT_NEAR(static_cast<double>(sums[3]), s * (2 + 0.25 + p + 0.25), 2);
  EXPECT_EQ(sums[4], kResidualSteps);  // the first is 2 off
  EXPECT_EQ(sums[5], kResidualSteps);
  EXPECT_EQ(sums[6], 2 * kResidualSteps);
  EXPECT_EQ(sums[7], trunc(1));
  EXPECT_NEAR(static_cast<double>(sums[8]), s * (-0.25 - p - 0.25), 2);
}

TEST(Judged, PartsAddUpAndAnswersStandInOrder) {
  const auto table = tests::random_table(400, 2, {3}, true, 9);
  const auto weights = tests::random_weights(table.dimension(), 2, 6);
  const TileSums whole = tests::sums_of(table);
  const tests::PartedSums parts({std::make_shared<const TileSums>(tests::build_tiles(tests::slice(table, 0, 70))),
                                 std::make_shared<const TileSums>(tests::build_tiles(tests::slice(table, 70, 330)))});
  for (const JudgedCells& cells : {JudgedCells(ScoreCells{kEdges}), JudgedCells(ResidualCells{7})}) {
    const JudgeQuery query{LinearModel{weights}, cells, 0};
    EXPECT_EQ(parts.judged(query, {1}), whole.judged(query, {1}));
  }
  const RowAnswers answers = whole.answers(LinearModel{weights}, 0, {1}),
                   joined = parts.answers(LinearModel{weights}, 0, {1});
  EXPECT_EQ(answers.targets, table.targets);
  EXPECT_EQ(answers.groups, table.codes[0]);
  EXPECT_EQ(answers.outputs, whole.outputs(LinearModel{weights}, {1}));
  EXPECT_EQ(joined.targets, answers.targets);
  EXPECT_EQ(joined.groups, answers.groups);
}

TEST(Judged, RefusesCellsOfOtherModels) {
  const TileSums sums = tests::sums_of(tests::random_table(9, 1, {2}, true, 1));
  const std::vector<double> w(4, 0.1), two(8, 0.1), wrong = {0.3, 0.3};
  EXPECT_THROW(sums.judged({LinearModel{two, 2}, ScoreCells{kEdges}}, {1}), ArgumentError);
  EXPECT_THROW(sums.judged({LinearModel{w}, ScoreCells{wrong}}, {1}), ArgumentError);
  EXPECT_THROW(sums.judged({LinearModel{w}, ResidualCells{0}}, {1}), ArgumentError);
  EXPECT_THROW(sums.judged({LinearModel{w}, AnswerCells{3}}, {1}), ArgumentError);
  EXPECT_THROW(sums.judged({LinearModel{w}, AnswerCells{2}, 1}, {1}), ArgumentError);
  EXPECT_THROW(sums.judged({LinearModel{w}, ResidualCells{kMostJudgedCells}}, {1}), ArgumentError);
}

}  // namespace
}  // namespace dperm::engine
