// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/objective_perturbation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/privacy/gaussian_dp.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

Question question_for(const tests::EncodedTable& table, loss::LossKind kind, double penalty, double epsilon = 1) {
  Question question;
  question.problem.loss.kind = kind;
  question.problem.l2_penalty = penalty;
  question.facts = tests::facts_of(table);
  question.budget = {epsilon, 1e-6};
  return question;
}

std::vector<double> fit(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return ObjectivePerturbation().fit(plan, dataset, curator, {}).weights.get();
}

const privacy::PerturbedObjective& objective_of(const Plan& plan) {
  return std::get<privacy::ObjectivePerturbationEvent>(plan.events.at(0).mechanism).objective;
}

TEST(ObjectivePerturbation, NoiseIsWithinTwoPercentOfOneGaussianReleaseOfSensitivityTwo) {
  const auto table = tests::random_table(5000, 2, {3}, true, 1);
  const Plan plan = ObjectivePerturbation().plan(question_for(table, loss::LossKind::logistic, 0), {});
  EXPECT_GT(objective_of(plan).sigma, 2 / privacy::mu_for(1, 1e-6));
  EXPECT_LT(objective_of(plan).sigma, 1.02 * 2 / privacy::mu_for(1, 1e-6));
  EXPECT_LE(plan.guarantee.epsilon, 1);
}

TEST(ObjectivePerturbation, KeepsToItsBudgetForTheSmallestDelta) {
  const auto table = tests::random_table(50, 2, {3}, true, 1);
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    Question question = question_for(table, kind, 100);
    for (const double epsilon : {1e-3, 1.0, 20.0}) {
      question.budget = {epsilon, 1e-30};
      EXPECT_LE(ObjectivePerturbation().plan(question, {}).guarantee.epsilon, epsilon) << loss::name(kind);
    }
    question.budget.delta = 1e-31;
    EXPECT_THROW(ObjectivePerturbation().plan(question, {}), ArgumentError);
  }
}

TEST(ObjectivePerturbation, WithHardlyAnyNoiseItIsTheMinimiser) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    const auto table = tests::learnable_table(3000, 2, {3}, loss::is_classification(kind), 5);
    const Question question = question_for(table, kind, 0.05, 900);
    const auto best = tests::minimum(table, question.problem);
    const auto weights = fit(ObjectivePerturbation().plan(question, {}), tests::dataset_of(table), 1);
    for (std::size_t j = 0; j < best.size(); ++j) EXPECT_NEAR(weights[j], best[j], 5e-3) << loss::name(kind);
  }
}

// At the released point the gradient of the penalised risk must be minus the random term: its coordinates over many
// seeds have the planned deviation. 60 * 6 values; a deviation off by a quarter has probability below 1e-9.
TEST(ObjectivePerturbation, TheRandomTermHasThePlannedDeviation) {
  const auto table = tests::learnable_table(400, 2, {3}, true, 7);
  const Question question = question_for(table, loss::LossKind::logistic, 0.1);
  const Plan plan = ObjectivePerturbation().plan(question, {});
  const data::Dataset dataset = tests::dataset_of(table);
  double square = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::vector<double> gradient;
    tests::plain_risk(table, plan.question.problem, fit(plan, dataset, seed), &gradient);
    square += tests::dot(gradient, gradient) * 400.0 * 400.0 / 360.0;
  }
  EXPECT_NEAR(std::sqrt(square) / objective_of(plan).sigma, 1, 0.25);
}

TEST(ObjectivePerturbation, InterceptIsPenalisedAndPerturbed) {
  tests::EncodedTable table = tests::random_table(500, 1, {}, true, 2);
  for (auto& target : table.targets) target = 1;
  const Plan plan = ObjectivePerturbation().plan(question_for(table, loss::LossKind::logistic, 0.1), {});
  const data::Dataset dataset = tests::dataset_of(table);
  EXPECT_NE(fit(plan, dataset, 1)[0], fit(plan, dataset, 2)[0]);
  const Plan calm = ObjectivePerturbation().plan(question_for(table, loss::LossKind::logistic, 0.1, 900), {});
  EXPECT_LT(std::abs(fit(calm, dataset, 1)[0]), 10) << "an unpenalised intercept would run away on one-class data";
}

TEST(ObjectivePerturbation, RefusesWhatItsProofDoesNotCover) {
  const auto table = tests::random_table(100, 1, {2}, true, 2);
  for (const auto kind :
       {loss::LossKind::hinge, loss::LossKind::absolute, loss::LossKind::pinball, loss::LossKind::squared}) {
    EXPECT_THROW(ObjectivePerturbation().plan(question_for(table, kind, 0.1), {}), ArgumentError);
  }
  Question question = question_for(table, loss::LossKind::logistic, 0.1);
  question.problem.feasible_set = {loss::SetKind::ball, 1};
  EXPECT_THROW(ObjectivePerturbation().plan(question, {}), ArgumentError);
  question = question_for(table, loss::LossKind::logistic, 0.1);
  question.budget.delta = 0;
  EXPECT_THROW(ObjectivePerturbation().plan(question, {}), ArgumentError);
  question = question_for(table, loss::LossKind::logistic, 1e-4);
  EXPECT_THROW(ObjectivePerturbation().plan(question, {}), ArgumentError) << "penalty * rows below 1/epsilon";
}

TEST(ObjectivePerturbation, MeasuredExcessRiskIsBelowTheBound) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    const auto table = tests::learnable_table(2000, 2, {3}, loss::is_classification(kind), 9);
    const Question question = question_for(table, kind, 0);
    const Plan plan = ObjectivePerturbation().plan(question, {});
    const data::Dataset dataset = tests::dataset_of(table);
    Problem compared = question.problem;
    compared.feasible_set = {loss::SetKind::ball, default_radius(compared, question.facts)};
    const double best = tests::plain_risk(table, compared, tests::minimum(table, compared));
    double excess = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      excess += (tests::plain_risk(table, question.problem, fit(plan, dataset, seed)) - best) / 30;
    }
    EXPECT_LE(excess, plan.utility.excess_risk) << loss::name(kind);
  }
}

}  // namespace
}  // namespace dperm::methods
