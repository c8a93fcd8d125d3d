// SPDX-License-Identifier: Apache-2.0
// Objective perturbation with the softmax loss: one score per class.
#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/objective_perturbation/objective_settings.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"
#include "tests/support/softmax_reference.hpp"

namespace dperm::methods {
namespace {

Task task_for(const tests::EncodedTable& table, std::size_t classes, double penalty, double epsilon = 1,
              double delta = 1e-6) {
  Task task;
  task.problem.loss.kind = loss::LossKind::softmax;
  task.problem.l2_penalty = penalty;
  task.facts = tests::facts_of(table);
  task.facts.classes = classes;
  task.budget = {epsilon, delta};
  return task;
}

std::vector<double> fit(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  FitResult result = fit(plan, dataset, curator, {});
  EXPECT_EQ(result.events, plan.events);
  return result.weights.get();
}

const privacy::PerturbedObjective& objective_of(const Plan& plan) {
  return std::get<privacy::ObjectivePerturbationEvent>(plan.events.at(0).mechanism).objective;
}

TEST(ObjectiveSoftmaxMethod, PlansOnePerturbedObjectiveAndOneReleaseOfAllWeights) {
  const auto table = tests::class_table(2000, 2, {3}, 4, 1);
  const Plan plan = method_named("objective-perturbation").plan(task_for(table, 4, 0), {});
  ASSERT_EQ(plan.events.size(), 2u);
  EXPECT_EQ(objective_of(plan).sign, privacy::GradientSign::multinomial);
  EXPECT_EQ(objective_of(plan).classes, 4u);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GT(plan.guarantee.epsilon, 0.98);
  EXPECT_EQ(fit(plan, tests::dataset_of(table), 1).size(), 4 * table.dimension());
}

TEST(ObjectiveSoftmaxMethod, RefusesADatasetWithOtherClassesThanThePlans) {
  const auto table = tests::class_table(200, 2, {3}, 4, 1);
  const Plan plan = method_named("objective-perturbation").plan(task_for(table, 3, 0), {});
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  EXPECT_THROW(fit(plan, tests::dataset_of(table), curator, {}), ArgumentError);
  EXPECT_TRUE(curator.events().empty());
}

TEST(ObjectiveSoftmaxMethod, WithHardlyAnyNoiseItIsTheMinimiser) {
  const auto table = tests::class_table(3000, 2, {3}, 3, 5);
  for (const double delta : {1e-6, 0.0}) {
    const Plan plan = method_named("objective-perturbation").plan(task_for(table, 3, 0.05, 900, delta), {});
    const auto weights = fit(plan, tests::dataset_of(table), 1);
    std::vector<double> gradient;
    tests::softmax_risk(table, 3, 0.05, weights, &gradient);
    EXPECT_LT(tests::norm_of(gradient), 3e-4) << "strong convexity 0.05: at most 0.006 from the minimum";
    EXPECT_GT(tests::norm_of(weights), 0.5) << "there is something to learn";
  }
}

// W = (-v/2, v/2) has the scores' difference <v, x> and half of the squared norm.
TEST(ObjectiveSoftmaxMethod, WithTwoClassesItIsLogisticRegressionWithHalfThePenalty) {
  auto table = tests::class_table(1500, 2, {3}, 2, 6);
  const auto weights =
      fit(method_named("objective-perturbation").plan(task_for(table, 2, 0.1, 900), {}), tests::dataset_of(table), 1);
  for (auto& target : table.targets) target = target == 1 ? 1 : -1;
  Problem halved;
  halved.l2_penalty = 0.05;
  const auto logistic = tests::minimum(table, halved);
  for (std::size_t j = 0; j < logistic.size(); ++j) {
    EXPECT_NEAR(weights[logistic.size() + j] - weights[j], logistic[j], 0.02);
  }
}

// At the released point the gradient of the penalised risk is minus the random term. 40 * 18 values; a deviation off by
// a sixth has probability below 1e-9.
TEST(ObjectiveSoftmaxMethod, TheRandomTermHasThePlannedDeviation) {
  const auto table = tests::class_table(200, 2, {3}, 3, 7);
  const Plan plan = method_named("objective-perturbation").plan(task_for(table, 3, 0.1), {});
  const data::Dataset dataset = tests::dataset_of(table);
  double square = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::vector<double> gradient;
    tests::softmax_risk(table, 3, 0.1, fit(plan, dataset, seed), &gradient);
    square += tests::dot(gradient, gradient) * 200 * 200 / static_cast<double>(40 * gradient.size());
  }
  EXPECT_NEAR(std::sqrt(square) / objective_of(plan).sigma, 1, 1.0 / 6);
}

TEST(ObjectiveSoftmaxMethod, MeasuredExcessRiskIsBelowTheBound) {
  const auto table = tests::class_table(2000, 2, {3}, 3, 9);
  const Plan plan = method_named("objective-perturbation").plan(task_for(table, 3, 0), {});
  const data::Dataset dataset = tests::dataset_of(table);
  const auto calm = fit(method_named("objective-perturbation").plan(task_for(table, 3, 1e-3, 900), {}), dataset, 1);
  double excess = -tests::softmax_risk(table, 3, 0, calm);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    excess += tests::softmax_risk(table, 3, 0, fit(plan, dataset, seed)) / 10;
  }
  EXPECT_LE(excess, plan.utility.excess_risk);
  EXPECT_LT(plan.utility.excess_risk, std::log(3.0)) << "the bound promises something";
}

TEST(ObjectiveSoftmaxMethod, WithoutADeltaTheGuaranteeIsPure) {
  const auto table = tests::class_table(1000, 2, {3}, 3, 1);
  const Plan plan = method_named("objective-perturbation").plan(task_for(table, 3, 0, 1, 0), {});
  EXPECT_TRUE(plan.guarantee.pure);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GT(plan.guarantee.epsilon, 0.99);
  EXPECT_EQ(fit(plan, tests::dataset_of(table), 1).size(), 3 * table.dimension());
}

// The weights of all classes are moved into the kept ball together: K times dimension coordinates of rounding.
TEST(ObjectiveSoftmaxMethod, TheSensitivityCountsTheRoundingOfAllCoordinates) {
  Task task;
  task.problem.loss.kind = loss::LossKind::softmax;
  task.facts = {.rows = 1000, .dimension = 1300, .columns = 50, .classes = 100};
  task.budget = {1, 0};
  const ObjectiveSettings s = objective_settings(task, TermNoise::pure, ObjectiveCalibration::tight);
  const double penalty = s.task.problem.l2_penalty;
  const double rounding = s.term_step * std::sqrt(static_cast<double>(weight_count(s.task))) / (2 * 1000);
  double error = 0;
  for (const SolverLevel& level : s.levels) {
    const double least = (level.term / 2 - std::sqrt(2.0)) / penalty;  // norm of a minimiser, from the second level on
    const double shrink = &level == s.levels.data() ? 1 : std::fmin(1, s.kept_radius / least);
    error = std::fmax(error, (level.bounds.residual + rounding) / penalty * shrink);
  }
  const loss::FeasibleSet kept{loss::SetKind::ball, s.kept_radius};
  EXPECT_GE(s.sensitivity, 2 * (error + loss::projection_error(kept, weight_count(s.task))));
}

TEST(ObjectiveSoftmaxMethod, RefusesWhatItsProofDoesNotCover) {
  const auto table = tests::class_table(100, 1, {2}, 3, 2);
  const Task task = task_for(table, 3, 0.1);
  for (const char* name : {"amp", "kst12"}) {
    EXPECT_THROW(method_named("objective-perturbation").plan(task, {{"calibration", name}}), ArgumentError) << name;
  }
  Task bad = task;
  bad.problem.feasible_set = {loss::SetKind::ball, 1};
  EXPECT_THROW(method_named("objective-perturbation").plan(bad, {}), ArgumentError);
  EXPECT_THROW(method_named("objective-perturbation").plan(task_for(table, 3, 1e-4), {}), ArgumentError)
      << "penalty * rows below (1 - 1/classes)/epsilon";
  EXPECT_THROW(method_named("objective-perturbation").plan(task_for(table, 0, 0.1), {}), ArgumentError);
  bad = task;
  bad.problem.hidden = {4};
  EXPECT_THROW(method_named("objective-perturbation").plan(bad, {}), ArgumentError);
}

TEST(GradientLatticeSoftmax, MeanGradientIsWithinItsError) {
  const std::size_t classes = 5;
  const auto table = tests::class_table(400, 6, {3, 9}, classes, 12);
  PublicFacts facts = tests::facts_of(table);
  facts.classes = classes;
  const loss::Loss loss{loss::LossKind::softmax};
  for (const double norm : {0.5, 30.0, 1e4}) {
    const auto weights = tests::random_weights(classes * table.dimension(), norm, 13);
    std::vector<long double> exact(weights.size(), 0);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto slopes = tests::exact_softmax(table, row, classes, weights).slopes;
      const auto u = tests::features(table, row);
      const long double scale = 1 / (std::sqrt(static_cast<long double>(table.columns())) * 400);
      for (std::size_t j = 0; j < exact.size(); ++j) exact[j] += slopes[j / u.size()] * u[j % u.size()] * scale;
    }
    for (const auto resolution : {engine::Resolution::release, engine::Resolution::solver}) {
      const GradientLattice lattice = gradient_lattice(loss, norm * (1 + 1e-12), facts, resolution);
      const auto sum = gradient_on_lattice(tests::sums_of(table), loss, lattice, weights, resolution, {1});
      long double square = 0;
      for (std::size_t j = 0; j < exact.size(); ++j) {
        const long double off = static_cast<long double>(static_cast<double>(sum[j]) * lattice.to_mean) - exact[j];
        square += off * off;
      }
      EXPECT_LE(std::sqrt(square), static_cast<long double>(lattice.mean_error)) << norm;
    }
  }
}

}  // namespace
}  // namespace dperm::methods
