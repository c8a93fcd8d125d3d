// SPDX-License-Identifier: Apache-2.0
// Sums over rows for models of every form. Linear scores: sums_test.cpp.
#include "dperm/engine/cpu/model_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/network_reference.hpp"
#include "tests/support/row_sums.hpp"

namespace dperm::engine {
namespace {

using tests::NetworkReference;

NetworkReference classes_network(const tests::EncodedTable& table) {
  const network::Shape shape{table.dimension(), {19}, 4, network::Activation::tanh};
  return {shape, {.kind = loss::LossKind::softmax}, tests::network_weights(shape, 1.5, 2)};
}

TEST(ModelErrors, CountsRowsWhoseLargestScoreIsAnotherClass) {
  const tests::EncodedTable table = tests::class_table(500, 7, {5}, 4, 3);
  const NetworkReference network = classes_network(table);
  std::int64_t expected = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto s = network.forward(table, row).back();
    expected += std::max_element(s.begin(), s.end()) - s.begin() != table.targets[row];
  }
  EXPECT_EQ(tests::sums_of(table, 64).errors(NetworkModel{network.shape, network.weights}, {1}), expected);
  EXPECT_GT(expected, 100);
  EXPECT_LT(expected, 450);
}

TEST(ModelErrors, OfALinearNetworkIsThatOfTheEngine) {
  const tests::EncodedTable table = tests::random_table(700, 5, {6}, true, 4);
  const std::vector<double> weights = tests::random_weights(table.dimension(), 3, 5);
  const network::Shape shape{table.dimension(), {}, 1, network::Activation::relu};
  const TileSums sums = tests::sums_of(table);
  EXPECT_EQ(sums.errors(NetworkModel{shape, weights}, {1}), sums.errors(LinearModel{weights}, {1}));
}

TEST(ModelLoss, IsTheTruncatedSumOfTheValues) {
  const tests::EncodedTable table = tests::class_table(400, 7, {5}, 4, 6);
  const NetworkReference network = classes_network(table);
  const double step_count = steps(Resolution::solver, table.rows());
  for (const double bound : {0.5, 2.0, 50.0}) {
    double expected = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) expected += std::fmin(network.value(table, row) / bound, 1.0);
    const std::int64_t got =
        tests::sums_of(table).loss({NetworkModel{network.shape, network.weights}, network.loss, bound}, {2});
    EXPECT_NEAR(static_cast<double>(got) / step_count, expected, 400 * 2e-5 / bound);
  }
}

TEST(ModelLoss, CountsWhatIsNoNumberAsTheBound) {
  // Hidden units of 1e30, then a difference of infinite scores.
  const tests::EncodedTable table = tests::random_table(50, 1, {}, true, 7);
  const network::Shape shape{table.dimension(), {4}, 1, network::Activation::relu};
  std::vector<double> weights(network::weight_count(shape), 1e30);
  weights.back() = -1e30;
  const auto step_count = static_cast<std::int64_t>(steps(Resolution::solver, 50));
  const std::int64_t sum =
      tests::sums_of(table).loss({NetworkModel{shape, weights}, {.kind = loss::LossKind::squared}, 3}, {1});
  EXPECT_GE(sum, 0);
  EXPECT_LE(sum, 50 * step_count);
  EXPECT_GT(sum, 20 * step_count);
}

TEST(ModelErrors, OfARuleAreItsErrorsAndItsOutputsItsAnswers) {
  const tests::EncodedTable table = tests::random_table(300, 2, {3}, true, 9);
  const rules::Hypothesis rule{{rules::RangeRule{0, -5000, 20000}, rules::LevelRule{0, 1, true}}, true};
  const TileSums sums = tests::sums_of(table, 64);
  const std::vector<double> answers = sums.outputs(rule, {2});
  std::int64_t wrong = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int16_t reals[] = {table.reals[0][row], table.reals[1][row]};
    const std::uint32_t codes[] = {table.codes[0][row]};
    EXPECT_EQ(answers[row] > 0, predict(rule, {reals, codes})) << row;
    wrong += (answers[row] > 0) != (table.targets[row] > 0);
  }
  EXPECT_EQ(sums.errors(rule, {2}), wrong);
  EXPECT_EQ(sums.rule_errors({&rule, 1}, {2}), std::vector<std::int64_t>{wrong});
}

}  // namespace
}  // namespace dperm::engine
