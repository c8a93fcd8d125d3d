// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/task.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

}  // namespace
}  // namespace dperm::methods
