// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/tuned/candidates.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"

namespace dperm::methods {
namespace {

std::vector<TunedCandidate> grid(std::string_view text) {
  return candidates_of(text, method_named("gradient-descent"));
}

TEST(Candidates, AreAllCombinations) {
  const auto candidates = grid("l2_penalty=0,0.1;steps=20,50,auto;radius=3");
  ASSERT_EQ(candidates.size(), 6u);
  EXPECT_EQ(candidates[0].label, "l2_penalty=0;steps=20;radius=3");
  EXPECT_EQ(candidates[5].label, "l2_penalty=0.1;steps=auto;radius=3");
  Task task;
  task.facts = {1000, 3, 3};
  task.budget = {1, 1e-6};
  const Plan plan = candidates[4].plan(candidate_task(candidates[4], task));
  EXPECT_EQ(plan.task.problem.l2_penalty, 0.1);
  EXPECT_EQ(std::get<GradientDescentOptions>(plan.options).steps, 50u);
  for (const TunedCandidate& each : candidates) {
    const loss::FeasibleSet set = candidate_task(each, task).problem.feasible_set;
    EXPECT_EQ(set.kind, loss::SetKind::ball);
    EXPECT_EQ(set.radius, 3);
  }
}

TEST(Candidates, BadGridsAreRefusedInWords) {
  const auto refusal = [](std::string_view text, Task task = {}) -> std::string {
    try {
      for (const TunedCandidate& each : grid(text)) candidate_task(each, task);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(refusal("").find("name=value"), std::string::npos);
  EXPECT_NE(refusal("steps").find("got 'steps'"), std::string::npos);
  EXPECT_NE(refusal("=1,2").find("name=value"), std::string::npos);
  EXPECT_NE(refusal("steps=1,2;").find("name=value"), std::string::npos);
  EXPECT_NE(
      refusal("batch=1,2").find("'batch' cannot be tuned for gradient-descent; these can: l2_penalty, radius, steps"),
      std::string::npos);
  EXPECT_NE(refusal("steps=20").find("one candidate"), std::string::npos);
  EXPECT_NE(refusal("steps=20,20").find("twice"), std::string::npos);
  EXPECT_NE(refusal("steps=20,").find("empty value"), std::string::npos);
  EXPECT_NE(refusal("steps=20,50;steps=3").find("given twice"), std::string::npos);
  EXPECT_NE(refusal("l2_penalty=0.1,x").find("must be a number"), std::string::npos);
  EXPECT_NE(refusal("l2_penalty=0.1,nan").find("l2_penalty"), std::string::npos);
  EXPECT_NE(refusal("l2_penalty=0.1,-1").find("l2_penalty"), std::string::npos);
  EXPECT_NE(refusal("radius=0,1").find("radius"), std::string::npos);
  EXPECT_NE(refusal("radius=1,2;l2_penalty=1,2,3,4,5,6,7,8,9,10,11,12;steps=1,2,3,4,5,6,7,8,9,10,11,12").find("256"),
            std::string::npos);
  Task given;
  given.problem.l2_penalty = 0.5;
  EXPECT_NE(refusal("l2_penalty=0.1,1", given).find("as well"), std::string::npos);
  given.problem = {};
  given.problem.feasible_set = {loss::SetKind::box, 1};
  EXPECT_NE(refusal("radius=0.1,1", given).find("as well"), std::string::npos);
}

}  // namespace
}  // namespace dperm::methods
