// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/row_predictions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "dperm/core/error.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::methods {
namespace {

Task task_with(loss::LossKind kind, std::size_t classes = 0) {
  Task task;
  task.problem.loss.kind = kind;
  task.facts.classes = classes;
  return task;
}

TEST(RowPredictions, OfLogOddsAreLabelsAndProbabilities) {
  const std::array outputs = {-2.0, 0.0, 1.5};
  const auto all = row_predictions(task_with(loss::LossKind::logistic), {.kind = schema::TargetKind::binary}, outputs);
  EXPECT_EQ(all.target, schema::TargetKind::binary);
  EXPECT_EQ(all.labels, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(all.label, (std::vector<std::size_t>{0, 0, 1}));
  for (std::size_t row = 0; row < outputs.size(); ++row) {
    EXPECT_NEAR(all.probabilities_of(row)[1], 1 / (1 + std::exp(-outputs[row])), 1e-15);
    EXPECT_NEAR(all.probabilities_of(row)[0] + all.probabilities_of(row)[1], 1, 1e-15);
  }
  EXPECT_TRUE(all.margins.empty() && all.numbers.empty());
}

TEST(RowPredictions, OfMarginsHaveNoProbabilities) {
  for (const auto kind : {loss::LossKind::hinge, loss::LossKind::smoothed_hinge}) {
    const auto all = row_predictions(task_with(kind), {.kind = schema::TargetKind::binary}, std::array{0.5, -0.5});
    EXPECT_EQ(all.label, (std::vector<std::size_t>{1, 0}));
    EXPECT_EQ(all.margins, (std::vector<double>{0.5, -0.5}));
    EXPECT_TRUE(all.probabilities.empty());
  }
}

TEST(RowPredictions, OfARuleAreAnswersAlone) {
  const auto all =
      row_predictions(task_with(loss::LossKind::zero_one), {.kind = schema::TargetKind::binary}, std::array{1.0, -1.0});
  EXPECT_EQ(all.label, (std::vector<std::size_t>{1, 0}));
  EXPECT_TRUE(all.margins.empty() && all.probabilities.empty());
}

TEST(RowPredictions, OfClassesAreTheirNamesAndShares) {
  const schema::Target target{.kind = schema::TargetKind::classes, .values = {"a", "b", "c"}};
  const std::array outputs = {0.0, 1.0, 2.0, 900.0, 899.0, -900.0};
  const auto all = row_predictions(task_with(loss::LossKind::softmax, 3), target, outputs);
  EXPECT_EQ(all.rows, 2u);
  EXPECT_EQ(all.labels, target.values);
  EXPECT_EQ(all.label, (std::vector<std::size_t>{2, 0}));
  EXPECT_NEAR(all.probabilities_of(0)[2], 1 / (1 + std::exp(-1) + std::exp(-2)), 1e-15);
  for (std::size_t row = 0; row < 2; ++row) {
    const auto shares = all.probabilities_of(row);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-15);
  }
  EXPECT_THROW(row_predictions(task_with(loss::LossKind::softmax, 2), target, outputs), ArgumentError);
}

TEST(RowPredictions, OfNumbersStayWithinTheTargetsBounds) {
  const schema::Target target{.kind = schema::TargetKind::real, .lower = 10, .upper = 30};
  for (const auto kind : {loss::LossKind::squared, loss::LossKind::absolute, loss::LossKind::huber}) {
    const auto all = row_predictions(task_with(kind), target, std::array{-7.0, 0.5, 7.0});
    EXPECT_EQ(all.numbers, (std::vector<double>{10, 25, 30}));
    EXPECT_TRUE(all.labels.empty());
  }
}

TEST(RowPredictions, OfADatasetAreThoseOfItsScores) {
  const tests::EncodedTable table = tests::random_table(300, 2, {3}, false, 8);
  const data::Dataset dataset = tests::dataset_of(table);
  FittedModel model{task_with(loss::LossKind::squared), std::vector<double>(table.dimension(), 0.3)};
  model.task.facts = tests::facts_of(table);
  const auto all = SensitiveTestAccess::open(predict(dataset, model, {1}));
  ASSERT_EQ(all.rows, table.rows());
  for (std::size_t row = 0; row < all.rows; ++row) {
    EXPECT_NEAR(all.numbers[row], tests::dot(tests::encoded_row(table, row), model.weights), 1e-12);
  }
  model.weights.pop_back();
  EXPECT_THROW(predict(dataset, model, {1}), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
