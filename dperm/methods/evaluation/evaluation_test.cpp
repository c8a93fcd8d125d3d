// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/evaluation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::methods {
namespace {

FittedModel linear(loss::Loss loss, std::vector<double> weights) {
  Task task;
  task.problem.loss = loss;
  task.facts.dimension = weights.size();
  return {task, std::move(weights)};
}

TEST(Evaluation, ExactValuesMatchPlainLoops) {
  const auto table = tests::learnable_table(500, 2, {3}, true, 8);
  std::vector<double> w = {0.3, -1, 2, 0.5, -0.5, 0.1};
  double right = 0, mean = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double score = tests::dot(w, tests::encoded_row(table, row));
    const double y = tests::encoded_target(table, row, true);
    right += (score > 0 ? 1 : -1) == y ? 1 : 0;
    mean += std::min(loss::value({}, score, y), clipped_loss_bound({})) / 500;
  }
  const data::Dataset dataset = tests::dataset_of(table);
  EXPECT_DOUBLE_EQ(SensitiveTestAccess::open(evaluate(dataset, {Metric::accuracy, linear({}, w), {1}})), right / 500);
  EXPECT_NEAR(SensitiveTestAccess::open(evaluate(dataset, {Metric::loss, linear({}, w), {1}})), mean, 1e-9);
}

TEST(Evaluation, OneRecordMovesTheLossSumByAtMostItsSteps) {
  const std::vector<double> w = {50, -40, 30, 20, -10};
  for (const std::int32_t target : {1, -1}) {
    for (const std::int16_t q : std::initializer_list<std::int16_t>{32767, -32767}) {
      const tests::EncodedTable row{{{q}}, {3}, {{1}}, {target}};
      const auto sum = engine::loss_sum(tests::build_tiles(row), {}, clipped_loss_bound({}), w, {1});
      EXPECT_GE(sum, 0);
      EXPECT_LE(static_cast<double>(sum), engine::steps(engine::Resolution::solver, 1));
    }
  }
}

TEST(Evaluation, PrivateEstimateSpendsExactlyItsEpsilonAndIsCloseToTheTruth) {
  const auto table = tests::learnable_table(5000, 2, {3}, true, 8);
  const data::Dataset dataset = tests::dataset_of(table);
  const EvaluationQuery query{Metric::accuracy, linear({}, {0.3, -1, 2, 0.5, -0.5, 0.1}), {1}};
  const double truth = SensitiveTestAccess::open(evaluate(dataset, query));
  int outside = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    random::SeededBits bits(seed);
    privacy::Curator curator(bits);
    const PrivateEvaluation result = evaluate_privately(dataset, query, 0.1, curator);
    EXPECT_LE(result.guarantee.epsilon, 0.1);
    EXPECT_GT(result.guarantee.epsilon, 0.0999);
    EXPECT_TRUE(result.guarantee.pure);
    EXPECT_FALSE(result.secure);
    if (std::abs(result.estimate - truth) > result.noise_radius) ++outside;
  }
  // Binomial(400, 0.05) exceeds 55 with probability 5e-11.
  EXPECT_LE(outside, 55);
  EXPECT_GT(outside, 0) << "a radius that is never exceeded is not the 95% radius";
}

TEST(Evaluation, RefusesAccuracyOfARegressionAndForeignWeights) {
  const auto table = tests::learnable_table(50, 1, {}, false, 8);
  const data::Dataset dataset = tests::dataset_of(table);
  EXPECT_THROW(evaluate(dataset, {Metric::accuracy, linear({loss::LossKind::squared}, {0, 0}), {1}}), ArgumentError);
  EXPECT_THROW(evaluate(dataset, {Metric::loss, linear({loss::LossKind::squared}, {0, 0, 0}), {1}}), ArgumentError);
  EXPECT_THROW(metric_from_name("auc"), ArgumentError);
}

TEST(MetricMeaning, OfARegressionIsTheErrorPeopleKnowInTheTargetsUnit) {
  const schema::Target target{.kind = schema::TargetKind::real, .name = "cost", .lower = 0, .upper = 10};
  Task task;
  task.problem.loss.kind = loss::LossKind::squared;
  const auto squared = metric_meaning(Metric::loss, task, target, 0.04, 100);
  ASSERT_TRUE(squared.error);
  EXPECT_EQ(squared.error->name, "root_mean_square_error");
  EXPECT_DOUBLE_EQ(squared.error->value, 1);  // 5 times the root of 0.04
  task.problem.loss.kind = loss::LossKind::absolute;
  EXPECT_DOUBLE_EQ(metric_meaning(Metric::loss, task, target, 0.04, 100).error->value, 0.2);
  task.problem.loss.kind = loss::LossKind::huber;
  const auto huber = metric_meaning(Metric::loss, task, target, 0.04, 100);
  EXPECT_FALSE(huber.error);
  EXPECT_EQ(huber.unit, loss::LossUnit::encoded_square);
}

TEST(MetricMeaning, OfAClassificationSaysWhatZeroScoresHaveOrHowFarSamplingMoves) {
  const schema::Target target{.kind = schema::TargetKind::binary, .name = "ill", .positive = {"yes"}};
  const Task task;
  const auto loss = metric_meaning(Metric::loss, task, target, 0.5, 100);
  EXPECT_EQ(loss.unit, loss::LossUnit::nats);
  EXPECT_DOUBLE_EQ(loss.value_of_zero, std::log(2.0));
  EXPECT_FALSE(loss.sampling_radius);
  const auto accuracy = metric_meaning(Metric::accuracy, task, target, 0.5, 100);
  EXPECT_DOUBLE_EQ(*accuracy.sampling_radius, 0.098);
  EXPECT_FALSE(accuracy.unit);
  EXPECT_EQ(default_metric(task), Metric::accuracy);
}

}  // namespace
}  // namespace dperm::methods
