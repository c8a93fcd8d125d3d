// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/question.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dperm/core/error.hpp"

namespace dperm::methods {
namespace {

Question good() {
  Question question;
  question.facts = {100, 3, 3};
  question.budget = {1, 1e-6};
  return question;
}

TEST(Question, AcceptsAnOrdinaryOne) { EXPECT_NO_THROW(validate(good())); }

TEST(Question, RefusesEveryEpsilonThatPromisesNothing) {
  for (const double epsilon : {0.0, -1.0, std::nan(""), 1e9, std::numeric_limits<double>::infinity()}) {
    Question question = good();
    question.budget.epsilon = epsilon;
    EXPECT_THROW(validate(question), ArgumentError) << epsilon;
  }
}

TEST(Question, RefusesEveryDeltaThatIsNoProbabilityBelowOne) {
  for (const double delta : {-1e-9, 1.0, 2.0, std::nan("")}) {
    Question question = good();
    question.budget.delta = delta;
    EXPECT_THROW(validate(question), ArgumentError) << delta;
  }
}

TEST(Question, RefusesBadPenaltiesSetsAndSizes) {
  Question question = good();
  question.problem.l2_penalty = std::nan("");
  EXPECT_THROW(validate(question), ArgumentError);
  question = good();
  question.problem.feasible_set = {loss::SetKind::ball, -1};
  EXPECT_THROW(validate(question), ArgumentError);
  question = good();
  question.facts.rows = 0;
  EXPECT_THROW(validate(question), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
