// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/compare.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"

namespace dperm::planner {
namespace {

methods::Task census_task(double epsilon, double delta) {
  methods::Task task;
  task.facts = {32561, 105, 14};
  task.budget = {epsilon, delta};
  return task;
}

std::vector<Alternative> compared(const methods::Task& task) {
  return compare(task, methods::planners("auto", {}), population_of(task.facts));
}

Alternative automatic(const methods::Task& task, const methods::Texts& given) {
  return choose(task, methods::planners("auto", given), population_of(task.facts));
}

TEST(Compare, SgdIsPredictedBestUnlessAPenaltyOrASetIsAsked) {
  methods::Task task = census_task(1, 1e-6);
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    task.budget.epsilon = epsilon;
    const auto alternatives = compared(task);
    EXPECT_EQ(alternatives[0].method, "sgd");
  }
  task.problem.l2_penalty = 0.01;
  EXPECT_NE(automatic(task, {}).method, "sgd");
  task.problem.l2_penalty = 0;
  task.problem.feasible_set = {loss::SetKind::ball, 2};
  EXPECT_NE(automatic(task, {}).method, "sgd");
  task.problem.feasible_set = {};
  task.budget.epsilon = 1;
  task.problem.loss.kind = loss::LossKind::smoothed_hinge;
  EXPECT_EQ(automatic(task, {}).method, "sgd");
  task.problem.loss.kind = loss::LossKind::squared;
  EXPECT_EQ(automatic(task, {}).method, "sgd");
  task.facts.dimension = task.facts.columns = 1;
  EXPECT_EQ(automatic(task, {}).method, "exponential") << "a mean has an exact method";
  task = census_task(1, 1e-6);
  task.facts.rows = std::size_t{1} << 27;
  EXPECT_EQ(automatic(task, {}).method, "sgd") << "no copy of the rows is made for one linear score";
}

// The signal is rows * 0.2367 / sqrt(14): mu of epsilon 1 and delta 1e-6 from the accounting of a model file.
TEST(Compare, TakesTheConstantWhereTheTableIsTooSmall) {
  methods::Task task = census_task(1, 1e-6);
  task.facts.rows = 80;
  EXPECT_NE(automatic(task, {}).method, "constant");
  task.facts.rows = 20;
  const Alternative constant = automatic(task, {});
  EXPECT_EQ(constant.method, "constant");
  EXPECT_EQ(constant.worth_from->rows, 80u) << "5 * sqrt(14) / 0.2367 = 79.04";
  task.budget.epsilon = *constant.worth_from->epsilon;
  EXPECT_NE(automatic(task, {}).method, "constant");
  task.budget.epsilon *= 0.98;
  EXPECT_EQ(automatic(task, {}).method, "constant");
  task.facts.rows = 2;
  EXPECT_FALSE(automatic(task, {}).worth_from->epsilon) << "none up to 10";
}

TEST(Compare, OfSeveralClassesEachHasFewerRowsToLearnFrom) {
  methods::Task task = census_task(1, 1e-6);
  task.problem.loss.kind = loss::LossKind::softmax;
  task.facts.classes = 3;
  task.facts.rows = 20;
  const Alternative constant = automatic(task, {});
  EXPECT_EQ(constant.method, "constant");
  EXPECT_EQ(constant.worth_from->rows, 48u) << "2 * 3/2 * sqrt(14) / 0.2367 = 47.4";
  task.facts.rows = 48;
  EXPECT_EQ(automatic(task, {}).method, "sgd");
}

TEST(Compare, LeavesTheConstantOutWhereNoSignalIsDefined) {
  const auto is_left_out = [](const methods::Task& task) {
    for (const Alternative& each : compared(task)) EXPECT_NE(each.method, "constant");
  };
  methods::Task task = census_task(1, 1e-6);
  is_left_out(task);
  task.facts.rows = 20;
  methods::Task pure = task, penalised = task, ball = task, location = task;
  pure.budget.delta = 0;
  is_left_out(pure);
  penalised.problem.l2_penalty = 0.01;
  is_left_out(penalised);
  ball.problem.feasible_set = {loss::SetKind::ball, 2};
  is_left_out(ball);
  location.problem.loss.kind = loss::LossKind::squared;
  location.facts.dimension = location.facts.columns = 1;
  is_left_out(location);
  EXPECT_NE(automatic(task, {{"steps", "30"}}).method, "constant") << "it takes no steps";
  EXPECT_EQ(choose(pure, methods::planners("constant", {}), population_of(pure.facts)).method, "constant") << "by name";
}

TEST(Compare, PutsTheSmallestPredictionFirstAndRefusalsLast) {
  auto alternatives = compared(census_task(1, 1e-6));
  ASSERT_EQ(alternatives[0].method, "sgd");
  alternatives.erase(alternatives.begin());
  ASSERT_EQ(alternatives.size() + 2, methods::all_methods().size()) << "all but sgd and the constant";
  EXPECT_EQ(alternatives[0].method, "objective-perturbation");
  EXPECT_LT(alternatives[0].predicted->excess_risk, alternatives[1].predicted->excess_risk);
  EXPECT_LT(alternatives[0].predicted->excess_risk, alternatives[0].plan->utility.excess_risk);
  const auto kinked = [] {
    methods::Task task = census_task(1, 1e-6);
    task.problem.loss.kind = loss::LossKind::hinge;
    return compared(task);
  }();
  EXPECT_EQ(kinked[1].method, "gradient-descent");
  EXPECT_FALSE(kinked.back().refusal.empty());
}

TEST(Compare, PureEpsilonLeavesOutGaussianNoiseAndSaysWhy) {
  const auto alternatives = compared(census_task(1, 0));
  EXPECT_TRUE(alternatives[0].plan->guarantee.pure);
  for (const Alternative& each : alternatives) {
    if (each.method == "gradient-descent") {
      EXPECT_NE(each.refusal.find("delta"), std::string::npos);
    }
  }
  EXPECT_EQ(automatic(census_task(1, 0), {}).method, alternatives[0].method);
}

TEST(Compare, SoftmaxTakesThePerturbedObjectiveWhereItsBoundIsConvincing) {
  methods::Task task;
  task.problem.loss.kind = loss::LossKind::softmax;
  task.facts = {74000, 55, 13, 7};
  task.budget = {1, 1e-6};
  EXPECT_EQ(automatic(task, {}).method, "sgd");
  for (const Alternative& each : compared(task)) {
    const bool proven = each.method == "gradient-descent" || each.method == "output-perturbation";
    EXPECT_TRUE(!proven || each.plan) << each.method << ": " << each.refusal;
  }
  task.budget.delta = 0;
  EXPECT_EQ(automatic(task, {}).method, "objective-perturbation") << "sgd needs a delta";
  task.budget.delta = 1e-6;
  task.facts.rows = 2000000;
  EXPECT_EQ(automatic(task, {}).method, "objective-perturbation");
}

TEST(Compare, AutoKeepsToMethodsThatTakeEveryGivenOption) {
  EXPECT_EQ(automatic(census_task(0.5, 1e-6), {{"noise", "textbook"}}).method, "output-perturbation");
  EXPECT_EQ(automatic(census_task(1, 1e-6), {{"schedule", "constant"}}).method, "gradient-descent");
}

TEST(Compare, RefusesWhatNoMethodCanDo) {
  EXPECT_THROW(automatic(census_task(1, 1e-6), {{"stpes", "3"}}), ArgumentError);
  EXPECT_THROW(methods::planners("newton", {}), ArgumentError);
  methods::Task kink = census_task(1, 0);
  kink.problem.loss.kind = loss::LossKind::hinge;
  try {
    automatic(kink, {});
    FAIL() << "no method does pure epsilon with a kinked loss";
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("gradient-descent:"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("output-perturbation:"), std::string::npos);
  }
}

}  // namespace
}  // namespace dperm::planner
