// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/holdout/holdout.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/non_private/measured_excess.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Task task_for(const tests::EncodedTable& table, double penalty = 0.01) {
  Task task;
  task.problem.l2_penalty = penalty;
  task.facts = tests::facts_of(table);
  task.budget = kNoPrivacy;
  return task;
}

FitResult fit_unsafely(const Plan& plan, const tests::EncodedTable& table, bool unsafe = true) {
  random::SecureBits bits;
  privacy::Curator curator(bits);
  return fit(plan, tests::dataset_of(table), curator, {{1}, {}, unsafe});
}

TEST(NonPrivate, ItsOneEventCostsEverything) {
  const tests::EncodedTable table = tests::learnable_table(100, 2, {3}, true, 1);
  const Plan plan = plan_for(task_for(table), NonPrivateOptions{});
  EXPECT_EQ(plan.guarantee.epsilon, kInfinity);
  ASSERT_EQ(plan.events.size(), 1u);
  EXPECT_TRUE(privacy::is_unprotected(plan.events));
  EXPECT_EQ(fit_unsafely(plan, table).events, plan.events);
}

TEST(NonPrivate, IsRefusedUntilItIsAskedForAsUnsafe) {
  const tests::EncodedTable table = tests::learnable_table(100, 2, {3}, true, 1);
  const Plan plan = plan_for(task_for(table), NonPrivateOptions{});
  EXPECT_THROW(fit_unsafely(plan, table, false), ArgumentError);
  EXPECT_NO_THROW(fit_unsafely(plan, table));
}

TEST(NonPrivate, RefusesATaskThatAsksForPrivacy) {
  Task task = task_for(tests::learnable_table(100, 2, {3}, true, 1));
  for (const Budget& budget : {Budget{1, 1e-6}, Budget{kInfinity, 1e-6}, Budget{0, 0}}) {
    task.budget = budget;
    EXPECT_THROW(plan_for(task, NonPrivateOptions{}), ArgumentError);
  }
}

TEST(NonPrivate, IsNoneOfTheMethodsThatAutoChoosesFrom) {
  for (const Method* each : all_methods()) EXPECT_NE(each->name(), "non-private");
  for (const NamedPlanner& each : planners("auto", {})) EXPECT_NE(each.method, "non-private");
  for (const AlgorithmOptions& each : all_algorithms()) EXPECT_NE(algorithm_name(each), "non-private");
  EXPECT_EQ(method_named("non-private").name(), "non-private");
  EXPECT_THROW(options_named("tuned", {{"method", "non-private"}, {"grid", "epochs=1,2"}}), ArgumentError);
}

// Every other algorithm keeps refusing the budget that stands for none.
TEST(NonPrivate, NoAlgorithmThatProtectsTakesItsBudget) {
  Task task = task_for(tests::learnable_table(100, 2, {3}, true, 1));
  for (const AlgorithmOptions& each : all_algorithms()) {
    EXPECT_THROW(plan_for(task, each), ArgumentError) << algorithm_name(each);
  }
}

TEST(NonPrivate, KeepsNoRowsOut) {
  const tests::EncodedTable table = tests::learnable_table(100, 2, {3}, true, 1);
  Task task = task_for(table);
  task.facts.rows = 80;
  const Plan plan = plan_for(task, NonPrivateOptions{});
  EXPECT_THROW(with_holdout(plan, 100, {0.2, {}}, tests::encoding_for(table)), ArgumentError);
}

TEST(NonPrivate, FindsTheMinimum) {
  const tests::EncodedTable table = tests::learnable_table(100, 2, {3}, true, 1);
  const Plan plan = plan_for(task_for(table, 0.05), NonPrivateOptions{});
  const std::vector<double> expected = tests::minimum(table, plan.task.problem);
  const std::vector<double> found = fit_unsafely(plan, table).weights.get();
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(found[j], expected[j], 1e-8);
}

// Labels that follow nothing: who knows them all has learned them by heart.
TEST(NonPrivate, ANetworkLearnsItsRowsByHeart) {
  tests::EncodedTable table = tests::random_table(60, 8, {}, true, 3);
  Task task = task_for(table, 0);
  task.problem.hidden = {32};
  const Plan plan = plan_for(task, NonPrivateOptions{.epochs = 400, .batch = 20, .learning_rate = 0.01});
  const FittedModel model{plan.task, fit_unsafely(plan, table).weights.get()};
  const double accuracy =
      DeclaredPublicAccess::open(evaluate(tests::dataset_of(table), {Metric::accuracy, model, {1}}));
  EXPECT_EQ(accuracy, 1);
}

TEST(MeasuredExcess, IsTheDifferenceOfPlainRisks) {
  const tests::EncodedTable table = tests::learnable_table(200, 2, {3}, true, 4);
  const Task task = task_for(table, 0.05);
  const FittedModel model{task, std::vector<double>(table.dimension(), 0.3)};
  const MeasuredExcess measured = DeclaredPublicAccess::open(measured_excess(tests::dataset_of(table), model, {1}));
  const std::vector<double> best = tests::minimum(table, task.problem);
  EXPECT_NEAR(measured.risk, tests::plain_risk(table, task.problem, model.weights), 1e-9);
  EXPECT_NEAR(measured.excess(), measured.risk - tests::plain_risk(table, task.problem, best), 1e-9);
  EXPECT_GT(measured.excess(), 1e-3);
}

TEST(MeasuredExcess, OfTheMinimumIsNothing) {
  const tests::EncodedTable table = tests::learnable_table(200, 2, {3}, true, 4);
  const Plan plan = plan_for(task_for(table, 0.05), NonPrivateOptions{});
  const FittedModel model{plan.task, fit_unsafely(plan, table).weights.get()};
  EXPECT_NEAR(DeclaredPublicAccess::open(measured_excess(tests::dataset_of(table), model, {1})).excess(), 0, 1e-10);
}

TEST(MeasuredExcess, IsAboutTheRowsThatTheModelWasLearnedFrom) {
  const tests::EncodedTable table = tests::learnable_table(200, 2, {3}, true, 4);
  Task task = task_for(table, 0.05);
  task.facts.rows = 100;
  EXPECT_THROW(measured_excess(tests::dataset_of(table), {task, std::vector<double>(table.dimension())}, {1}),
               ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
