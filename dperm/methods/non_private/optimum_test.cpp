// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/non_private/optimum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

Task task_for(const tests::EncodedTable& table, loss::LossKind kind, double penalty) {
  Task task;
  task.problem.loss.kind = kind;
  task.problem.l2_penalty = penalty;
  task.facts = tests::facts_of(table);
  task.budget = kNoPrivacy;
  return task;
}

Optimum optimum_of(const tests::EncodedTable& table, const Task& task) {
  const auto sums = tests::shared_sums_of(table);
  return exact_optimum(sums, task, {1});
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

double gradient_norm(const tests::EncodedTable& table, const Problem& problem, const std::vector<double>& w) {
  std::vector<double> gradient;
  tests::plain_risk(table, problem, w, &gradient);
  return std::sqrt(tests::dot(gradient, gradient));
}

// In plain double loops, which share nothing with the engine.
TEST(Optimum, HasAGradientOfZeroForEverySmoothLoss) {
  for (const auto kind :
       {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber, loss::LossKind::squared}) {
    const bool binary = loss::is_classification(kind);
    const tests::EncodedTable table = tests::learnable_table(300, 3, {4}, binary, 5);
    for (const double penalty : {1e-6, 1e-2}) {
      const Task task = task_for(table, kind, penalty);
      const Optimum found = optimum_of(table, task);
      EXPECT_LE(found.residual, 1e-10) << loss::name(kind) << ' ' << penalty;
      EXPECT_LE(gradient_norm(table, task.problem, found.weights), 2e-10) << loss::name(kind) << ' ' << penalty;
      EXPECT_NEAR(found.value, tests::plain_risk(table, task.problem, found.weights), 1e-9);
    }
  }
}

TEST(Optimum, IsThePointThatPlainDescentEndsAt) {
  const tests::EncodedTable table = tests::learnable_table(100, 2, {3}, true, 7);
  const Task task = task_for(table, loss::LossKind::logistic, 0.05);
  EXPECT_LE(distance(optimum_of(table, task).weights, tests::minimum(table, task.problem)), 1e-9);
}

TEST(Optimum, StaysInItsFeasibleSetAndIsTheLeastThere) {
  const tests::EncodedTable table = tests::learnable_table(100, 2, {3}, true, 7);
  Task task = task_for(table, loss::LossKind::logistic, 0);
  task.problem.feasible_set = {loss::SetKind::ball, 2};
  const Optimum found = optimum_of(table, task);
  EXPECT_LE(tests::norm_of(found.weights), 2 * (1 + 1e-12));
  EXPECT_GE(tests::norm_of(found.weights), 2 * (1 - 1e-9)) << "this table asks for larger weights";
  const std::vector<double> reference = tests::minimum(table, task.problem);
  EXPECT_LE(tests::plain_risk(table, task.problem, found.weights),
            tests::plain_risk(table, task.problem, reference) + 1e-12);
}

TEST(Optimum, OfSeveralClassesIsThatOfPlainDescent) {
  const tests::EncodedTable table = tests::class_table(150, 2, {3}, 3, 2);
  Task task = task_for(table, loss::LossKind::softmax, 0.05);
  const Optimum found = optimum_of(table, task);
  EXPECT_LE(found.residual, 1e-10);
  EXPECT_LE(distance(found.weights, tests::softmax_minimum(table, 3, task.problem)), 1e-8);
}

TEST(Optimum, KinksAndNetworksAreRefused) {
  Problem problem;
  for (const auto kind : {loss::LossKind::hinge, loss::LossKind::absolute, loss::LossKind::pinball}) {
    problem.loss.kind = kind;
    EXPECT_THROW(require_convex_and_smooth(problem, "x"), ArgumentError) << loss::name(kind);
  }
  problem.loss.kind = loss::LossKind::logistic;
  EXPECT_NO_THROW(require_convex_and_smooth(problem, "x"));
  problem.hidden = {4};
  EXPECT_THROW(require_convex_and_smooth(problem, "x"), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
