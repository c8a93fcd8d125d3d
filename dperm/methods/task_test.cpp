// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/task.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dperm/core/error.hpp"

namespace dperm::methods {
namespace {

Task good() {
  Task task;
  task.facts = {100, 3, 3};
  task.budget = {1, 1e-6};
  return task;
}

TEST(Task, AcceptsAnOrdinaryOne) { EXPECT_NO_THROW(validate(good())); }

TEST(Task, RefusesEveryEpsilonThatPromisesNothing) {
  for (const double epsilon : {0.0, -1.0, std::nan(""), 1e9, std::numeric_limits<double>::infinity()}) {
    Task task = good();
    task.budget.epsilon = epsilon;
    EXPECT_THROW(validate(task), ArgumentError) << epsilon;
  }
}

TEST(Task, RefusesEveryDeltaThatIsNoProbabilityBelowOne) {
  for (const double delta : {-1e-9, 1.0, 2.0, std::nan("")}) {
    Task task = good();
    task.budget.delta = delta;
    EXPECT_THROW(validate(task), ArgumentError) << delta;
  }
}

TEST(Task, RefusesBadPenaltiesSetsAndSizes) {
  Task task = good();
  task.problem.l2_penalty = std::nan("");
  EXPECT_THROW(validate(task), ArgumentError);
  task = good();
  task.problem.feasible_set = {loss::SetKind::ball, -1};
  EXPECT_THROW(validate(task), ArgumentError);
  task = good();
  task.facts.rows = 0;
  EXPECT_THROW(validate(task), ArgumentError);
}

schema::Encoding encoding_of(schema::Target target) {
  schema::Schema schema;
  schema.columns.push_back({.name = "age", .lower = 20, .upper = 80});
  schema.target = std::move(target);
  return schema::Encoding(schema);
}

TEST(Task, TakesOnlyLossesForTheTargetThatTheSchemaDeclares) {
  const std::vector<schema::Target> targets = {
      {.kind = schema::TargetKind::binary, .name = "ill", .positive = {"yes"}},
      {.kind = schema::TargetKind::real, .name = "cost", .lower = 0, .upper = 9},
      {.kind = schema::TargetKind::classes, .name = "ward", .values = {"a", "b", "c"}}};
  for (const schema::Target& target : targets) {
    for (const loss::LossInfo& each : loss::all_losses()) {
      Task task = good();
      task.problem.loss.kind = each.kind;
      if (each.kind == loss::LossKind::zero_one) task.problem.rules = "stumps";
      task.facts = facts_of(encoding_of(target), task.problem, 100);
      EXPECT_EQ(task.facts.target, target.kind);
      if (each.target == target.kind) {
        EXPECT_NO_THROW(validate(task)) << each.name << " for " << word(target.kind);
      } else {
        EXPECT_THROW(validate(task), ArgumentError) << each.name << " for " << word(target.kind);
      }
    }
  }
}

TEST(Task, NamesTheLossesThatFit) {
  Task task = good();
  task.problem.loss.kind = loss::LossKind::squared;
  task.facts.target = schema::TargetKind::binary;
  try {
    validate(task);
    FAIL() << "accepted";
  } catch (const ArgumentError& error) {
    EXPECT_EQ(std::string(error.what()),
              "`loss = squared` needs a target of kind real, and the schema declares kind "
              "binary; choose " +
                  loss::loss_names(schema::TargetKind::binary));
  }
  task.facts.target = schema::TargetKind::none;
  EXPECT_THROW(validate(task), ArgumentError);
}

TEST(Task, HasADefaultLossForEveryTarget) {
  EXPECT_EQ(default_loss(schema::TargetKind::binary, false), loss::LossKind::logistic);
  EXPECT_EQ(default_loss(schema::TargetKind::real, false), loss::LossKind::squared);
  EXPECT_EQ(default_loss(schema::TargetKind::classes, false), loss::LossKind::softmax);
  EXPECT_EQ(default_loss(schema::TargetKind::binary, true), loss::LossKind::zero_one);
}

TEST(Task, WarnsOfBudgetsThatProtectLittle) {
  EXPECT_TRUE(budget_warnings({4.9, 0.0099}, 100).empty());
  EXPECT_EQ(budget_warnings({11, 0.01}, 100).size(), 2u);
}

}  // namespace
}  // namespace dperm::methods
