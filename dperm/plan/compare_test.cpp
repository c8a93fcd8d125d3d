// SPDX-License-Identifier: Apache-2.0
#include "dperm/plan/compare.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"

namespace dperm::plan {
namespace {

methods::Question census_question(double epsilon, double delta) {
  methods::Question question;
  question.facts = {32561, 105, 14};
  question.budget = {epsilon, delta};
  return question;
}

std::vector<Alternative> compared(const methods::Question& question) {
  return compare(question, {}, population_of(question.facts));
}

Alternative automatic(const methods::Question& question, const GivenOptions& given) {
  return choose("auto", question, given, population_of(question.facts));
}

TEST(Compare, SgdIsPredictedBestUnlessAPenaltyOrASetIsAsked) {
  methods::Question question = census_question(1, 1e-6);
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    question.budget.epsilon = epsilon;
    const auto alternatives = compared(question);
    EXPECT_EQ(alternatives[0].method, "sgd");
    EXPECT_LT(*alternatives[0].predicted->accuracy_lost, *alternatives[1].predicted->accuracy_lost);
  }
  question.problem.l2_penalty = 0.01;
  EXPECT_NE(automatic(question, {}).method, "sgd");
  question.problem.l2_penalty = 0;
  question.problem.feasible_set = {loss::SetKind::ball, 2};
  EXPECT_NE(automatic(question, {}).method, "sgd");
  question.problem.feasible_set = {};
  question.problem.loss.kind = loss::LossKind::smoothed_hinge;
  EXPECT_EQ(automatic(question, {}).method, "objective-perturbation") << "not far enough ahead";
  question.problem.loss.kind = loss::LossKind::squared;
  EXPECT_EQ(automatic(question, {}).method, "sgd");
  question.facts.dimension = question.facts.columns = 1;
  EXPECT_EQ(automatic(question, {}).method, "exponential") << "a mean has an exact method";
  question = census_question(1, 1e-6);
  question.facts.rows = std::size_t{1} << 27;
  EXPECT_NE(automatic(question, {}).method, "sgd") << "it would copy 2^31 cells";
}

TEST(Compare, PutsTheSmallestPredictionFirstAndRefusalsLast) {
  auto alternatives = compared(census_question(1, 1e-6));
  ASSERT_EQ(alternatives[0].method, "sgd");
  alternatives.erase(alternatives.begin());
  ASSERT_EQ(alternatives.size() + 1, methods::all_methods().size());
  EXPECT_EQ(alternatives[0].method, "objective-perturbation");
  EXPECT_LT(alternatives[0].predicted->excess_risk, alternatives[1].predicted->excess_risk);
  EXPECT_LT(alternatives[0].predicted->excess_risk, alternatives[0].plan->utility.excess_risk);
  const auto kinked = [] {
    methods::Question question = census_question(1, 1e-6);
    question.problem.loss.kind = loss::LossKind::hinge;
    return compared(question);
  }();
  EXPECT_EQ(kinked[1].method, "gradient-descent");
  EXPECT_FALSE(kinked.back().refusal.empty());
}

TEST(Compare, PureEpsilonLeavesOutGaussianNoiseAndSaysWhy) {
  const auto alternatives = compared(census_question(1, 0));
  EXPECT_TRUE(alternatives[0].plan->guarantee.pure);
  for (const Alternative& each : alternatives) {
    if (each.method == "gradient-descent") {
      EXPECT_NE(each.refusal.find("delta"), std::string::npos);
    }
  }
  EXPECT_EQ(automatic(census_question(1, 0), {}).method, alternatives[0].method);
}

TEST(Compare, SoftmaxTakesThePerturbedObjectiveWhereItsBoundIsConvincing) {
  methods::Question question;
  question.problem.loss.kind = loss::LossKind::softmax;
  question.facts = {74000, 55, 13, 7};
  question.budget = {1, 1e-6};
  EXPECT_EQ(automatic(question, {}).method, "sgd");
  for (const Alternative& each : compared(question)) {
    const bool proven = each.method == "gradient-descent" || each.method == "output-perturbation";
    EXPECT_TRUE(!proven || each.plan) << each.method << ": " << each.refusal;
  }
  question.budget.delta = 0;
  EXPECT_EQ(automatic(question, {}).method, "objective-perturbation") << "sgd needs a delta";
  question.budget.delta = 1e-6;
  question.facts.rows = 2000000;
  EXPECT_EQ(automatic(question, {}).method, "objective-perturbation");
}

TEST(Compare, AutoKeepsToMethodsThatTakeEveryGivenOption) {
  EXPECT_EQ(automatic(census_question(0.5, 1e-6), {{"noise", "textbook"}}).method, "output-perturbation");
  EXPECT_EQ(automatic(census_question(1, 1e-6), {{"schedule", "constant"}}).method, "gradient-descent");
}

TEST(Compare, RefusesWhatNoMethodCanDo) {
  EXPECT_THROW(automatic(census_question(1, 1e-6), {{"stpes", "3"}}), ArgumentError);
  EXPECT_THROW(choose("newton", census_question(1, 1e-6), {}, population_of(census_question(1, 1e-6).facts)),
               ArgumentError);
  methods::Question kink = census_question(1, 0);
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
}  // namespace dperm::plan
