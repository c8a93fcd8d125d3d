// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/holdout/holdout.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "tests/support/datasets.hpp"

namespace dperm::methods {
namespace {

constexpr std::size_t kRows = 2000;

tests::EncodedTable table_of(bool classification) { return tests::learnable_table(kRows, 2, {3}, classification, 8); }

Plan training_plan(const tests::EncodedTable& table, loss::LossKind kind, std::size_t rows, double delta) {
  Task task = tests::task_in_ball(table, kind, 5);
  task.facts.rows = rows;
  task.budget = {1, delta};
  return plan_for(task, OutputDescentOptions{});
}

Plan planned(const tests::EncodedTable& table, loss::LossKind kind, double delta = 1e-6,
             const HoldoutOptions& options = {0.25, {}}) {
  return with_holdout(training_plan(table, kind, 1500, delta), kRows, options, tests::encoding_for(table));
}

FitResult run(const Plan& plan, const tests::EncodedTable& table, std::uint64_t seed = 1) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return fit(plan, tests::dataset_of(table), curator, {{1}, {}});
}

TEST(Holdout, ItsGuaranteeIsTheLargerOfTheTwo) {
  for (const double delta : {1e-6, 0.0}) {
    for (const bool classes : {true, false}) {
      const auto table = table_of(classes);
      const loss::LossKind kind = classes ? loss::LossKind::logistic : loss::LossKind::huber;
      const Plan plan = planned(table, kind, delta), training = training_plan(table, kind, 1500, delta);
      const double judged = privacy::account(std::vector{judgement_event(plan.holdout->judgement)}, delta).epsilon;
      EXPECT_EQ(plan.guarantee.epsilon, std::max(training.guarantee.epsilon, judged));
      EXPECT_LE(plan.guarantee.epsilon, 1);
      EXPECT_GT(plan.guarantee.epsilon, 0.999);
      EXPECT_EQ(plan.guarantee.pure, delta == 0);
      ASSERT_EQ(plan.events.size(), 1u);
      EXPECT_EQ(plan.task.facts.rows, 1500u) << "those that train";
      EXPECT_EQ(plan.holdout->judgement.rows, 500u);
      const FitResult result = run(plan, table);
      EXPECT_EQ(result.events, plan.events);
      ASSERT_TRUE(result.judgement);
    }
  }
}

// Rows that train and rows that judge are all rows, each once: with almost no noise, the counts are those of the rows
// kept out, and the model is the one that the others give.
TEST(Holdout, TheCountsAreOfTheRowsThatDidNotTrain) {
  const auto table = table_of(true);
  Task task = tests::task_in_ball(table, loss::LossKind::logistic, 5);
  task.facts.rows = 1500;
  task.budget = {900, 1e-6};
  const Plan plan = with_holdout(plan_for(task, OutputDescentOptions{}), kRows, {0.25, {}}, tests::encoding_for(table));
  for (const std::uint64_t seed : {1u, 2u}) {
    const FitResult result = run(plan, table, seed);
    std::int64_t rows = 0;
    for (const std::int64_t each : result.judgement->sums) rows += each;
    EXPECT_EQ(rows, 500);
    const auto all = evaluated(*result.judgement, plan.task, {}).all;
    double right = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      right += (tests::dot(result.weights.get(), tests::encoded_row(table, i)) > 0) == (table.targets[i] > 0);
    }
    EXPECT_NEAR(all.find("accuracy")->value, right / kRows, 0.06);
  }
  EXPECT_NE(run(plan, table, 1).judgement->sums, run(plan, table, 2).judgement->sums) << "the draw is anew";
}

TEST(Holdout, RefusesWhatItCannotPlan) {
  const auto table = table_of(true);
  const auto encoding = tests::encoding_for(table);
  const Plan training = training_plan(table, loss::LossKind::logistic, 1500, 1e-6);
  EXPECT_THROW(with_holdout(training, kRows, {0.3, {}}, encoding), ArgumentError);
  EXPECT_THROW(with_holdout(training, kRows, {0.25, {.groups = "nobody"}}, encoding), ArgumentError);
  EXPECT_THROW(with_holdout(training, kRows, {0.25, {.threshold = 1}}, encoding), ArgumentError);
  for (const double share : {0.0, 1.0, -0.5, 1e-9, std::nan("")}) {
    EXPECT_THROW(held_out_rows(kRows, share), ArgumentError) << share;
  }
  const Plan plan = planned(table, loss::LossKind::logistic);
  EXPECT_THROW(with_holdout(plan, kRows, {0.25, {}}, encoding), ArgumentError);
  EXPECT_THROW(run(plan, tests::learnable_table(1999, 2, {3}, true, 8)), ArgumentError);
  Task task = tests::task_in_ball(table, loss::LossKind::logistic, 5);
  task.facts.rows = 1500;
  const Plan sgd = plan_for(task, SgdOptions{.neighbours = privacy::Neighbours::add_remove});
  EXPECT_THROW(with_holdout(sgd, kRows, {0.25, {}}, encoding), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
