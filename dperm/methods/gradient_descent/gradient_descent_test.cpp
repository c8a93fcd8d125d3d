// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

std::vector<double> fit(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return fit(plan, dataset, curator, {}).weights.get();
}

TEST(GradientDescent, NoiseIsTheExactGaussianDpCalibration) {
  // mu(1, 1e-6) = 0.236704380663, reference value to 12 digits.
  const auto table = tests::random_table(100, 2, {3}, true, 1);
  const Plan plan =
      method_named("gradient-descent").plan(tests::task_in_ball(table, loss::LossKind::logistic, 5), {{"steps", "25"}});
  const auto& event = std::get<privacy::GaussianEvent>(plan.events.at(0).mechanism);
  EXPECT_EQ(plan.events.at(0).repetitions, 25);
  EXPECT_NEAR(event.l2_sensitivity * 5 / event.sigma, 0.236704380663, 1e-9);
}

TEST(GradientDescent, RefusesDeltaZero) {
  const auto table = tests::random_table(100, 2, {3}, true, 1);
  Task task = tests::task_in_ball(table, loss::LossKind::logistic, 5);
  task.budget.delta = 0;
  EXPECT_THROW(method_named("gradient-descent").plan(task, {}), ArgumentError);
}

TEST(GradientDescent, TakesABallOfItsOwnWhereNoneIsGiven) {
  const auto table = tests::random_table(100, 2, {3}, true, 1);
  Task task = tests::task_in_ball(table, loss::LossKind::logistic, 5);
  task.problem.feasible_set = {};
  const Plan plan = method_named("gradient-descent").plan(task, {});
  EXPECT_EQ(plan.task.problem.feasible_set.kind, loss::SetKind::ball);
  EXPECT_DOUBLE_EQ(plan.task.problem.feasible_set.radius, 5 * std::sqrt(4.0));
}

// With so large an epsilon and so many rows that noise vanishes, the result is the plain ERM solution.
TEST(GradientDescent, WithHardlyAnyNoiseItIsPlainRiskMinimisation) {
  const auto table = tests::learnable_table(20000, 2, {3}, true, 4);
  Task task = tests::task_in_ball(table, loss::LossKind::logistic, 4);
  task.budget.epsilon = 900;
  const Plan plan =
      method_named("gradient-descent").plan(task, {{"steps", "600"}, {"step_size", "6"}, {"average_fraction", "0.1"}});
  const auto weights = fit(plan, tests::dataset_of(table), 1);
  const auto best = tests::minimum(table, task.problem);
  EXPECT_NEAR(tests::plain_risk(table, task.problem, weights), tests::plain_risk(table, task.problem, best), 2e-5);
}

// The theorem: mean excess risk over seeds below the bound. 40 runs; the bound is an expectation and loose by far more
// than the spread of a mean of 40, so a false alarm needs an error in the code.
TEST(GradientDescent, MeasuredExcessRiskIsBelowTheBound) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::hinge, loss::LossKind::squared,
                          loss::LossKind::absolute, loss::LossKind::huber}) {
    const auto table = tests::learnable_table(600, 2, {3}, loss::is_classification(kind), 9);
    const Task task = tests::task_in_ball(table, kind, 2);
    const Plan plan = method_named("gradient-descent").plan(task, {});
    const data::Dataset dataset = tests::dataset_of(table);
    const double best = tests::plain_risk(table, task.problem, tests::minimum(table, task.problem));
    double excess = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      excess += (tests::plain_risk(table, task.problem, fit(plan, dataset, seed)) - best) / 40;
    }
    EXPECT_LE(excess, plan.utility.excess_risk) << loss::name(kind);
    EXPECT_GT(excess, -1e-6) << "the reference minimum is no minimum";
  }
}

TEST(GradientDescent, TheStronglyConvexScheduleKeepsItsBoundToo) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::hinge}) {
    const auto table = tests::learnable_table(600, 2, {3}, true, 9);
    Task task = tests::task_in_ball(table, kind, 2);
    task.problem.l2_penalty = 0.2;
    const Plan plan = method_named("gradient-descent").plan(task, {{"schedule", "strongly-convex"}});
    const data::Dataset dataset = tests::dataset_of(table);
    const double best = tests::plain_risk(table, task.problem, tests::minimum(table, task.problem));
    double excess = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      excess += (tests::plain_risk(table, task.problem, fit(plan, dataset, seed)) - best) / 40;
    }
    EXPECT_LE(excess, plan.utility.excess_risk) << loss::name(kind);
    EXPECT_GT(excess, -1e-6);
  }
}

TEST(GradientDescent, AutoTakesTheScheduleWithTheSmallerBound) {
  const auto table = tests::random_table(600, 2, {3}, true, 9);
  Task task = tests::task_in_ball(table, loss::LossKind::hinge, 20);
  task.problem.l2_penalty = 0.5;
  const auto bound = [&](const char* schedule) {
    return method_named("gradient-descent").plan(task, {{"schedule", schedule}}).utility.excess_risk;
  };
  EXPECT_LT(bound("strongly-convex"), bound("constant"));
  EXPECT_EQ(bound("auto"), bound("strongly-convex"));
  task.problem.l2_penalty = 0;
  EXPECT_EQ(bound("auto"), bound("constant"));
  EXPECT_THROW(bound("strongly-convex"), ArgumentError);
}

TEST(GradientDescent, MomentumGetsFurtherInFewStepsAndPromisesNothing) {
  const auto table = tests::learnable_table(20000, 2, {3}, true, 4);
  Task task = tests::task_in_ball(table, loss::LossKind::logistic, 10);
  task.budget.epsilon = 100;
  const auto risk = [&](const char* momentum) {
    const Plan plan =
        method_named("gradient-descent")
            .plan(task, {{"steps", "40"}, {"step_size", "3"}, {"average_fraction", "0"}, {"momentum", momentum}});
    EXPECT_EQ(std::isinf(plan.utility.excess_risk), std::string(momentum) != "0");
    return tests::plain_risk(table, task.problem, fit(plan, tests::dataset_of(table), 1));
  };
  EXPECT_LT(risk("0.8"), risk("0") - 0.01);
}

TEST(GradientDescent, MoreRowsAndMoreEpsilonPromiseLess) {
  Task task;
  task.facts = {1000, 20, 10};
  task.budget = {0.1, 1e-6};
  const double few = method_named("gradient-descent").plan(task, {}).utility.excess_risk;
  task.facts.rows = 10000;
  const double many = method_named("gradient-descent").plan(task, {}).utility.excess_risk;
  task.budget.epsilon = 1;
  EXPECT_LT(many, few);
  EXPECT_LT(method_named("gradient-descent").plan(task, {}).utility.excess_risk, many);
}

}  // namespace
}  // namespace dperm::methods
