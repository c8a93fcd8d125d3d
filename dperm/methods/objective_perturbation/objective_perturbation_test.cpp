// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/objective_perturbation/objective_settings.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

Task task_for(const tests::EncodedTable& table, loss::LossKind kind, double penalty, double epsilon = 1) {
  Task task;
  task.problem.loss.kind = kind;
  task.problem.l2_penalty = penalty;
  task.facts = tests::facts_of(table);
  task.budget = {epsilon, 1e-6};
  return task;
}

std::vector<double> fit(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return fit(plan, dataset, curator, {}).weights.get();
}

const privacy::PerturbedObjective& objective_of(const Plan& plan) {
  return std::get<privacy::ObjectivePerturbationEvent>(plan.events.at(0).mechanism).objective;
}

TEST(ObjectivePerturbation, NoiseIsWithinOnePercentOfOneGaussianReleaseOfSensitivityTwo) {
  const auto table = tests::random_table(5000, 2, {3}, true, 1);
  const Plan plan = method_named("objective-perturbation").plan(task_for(table, loss::LossKind::logistic, 0), {});
  EXPECT_GT(objective_of(plan).sigma, 2 / privacy::mu_for(1, 1e-6));
  EXPECT_LT(objective_of(plan).sigma, 1.005 * 2 / privacy::mu_for(1, 1e-6));
  EXPECT_LE(plan.guarantee.epsilon, 1);
  // The output step gets what hides the residual, no more: its noise is far below what the random term causes.
  const auto& output = std::get<privacy::GaussianEvent>(plan.events.at(1).mechanism);
  EXPECT_LT(output.l2_sensitivity / output.sigma, 1e-3 * privacy::mu_for(1, 1e-6));
}

TEST(ObjectivePerturbation, KeepsToItsBudgetForTheSmallestDelta) {
  const auto table = tests::random_table(50, 2, {3}, true, 1);
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    Task task = task_for(table, kind, 100);
    for (const double epsilon : {1e-3, 1.0, 20.0}) {
      task.budget = {epsilon, 1e-30};
      EXPECT_LE(method_named("objective-perturbation").plan(task, {}).guarantee.epsilon, epsilon) << loss::name(kind);
    }
    task.budget.delta = 1e-31;
    EXPECT_THROW(method_named("objective-perturbation").plan(task, {}), ArgumentError);
  }
}

TEST(ObjectivePerturbation, WithHardlyAnyNoiseItIsTheMinimiser) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    const auto table = tests::learnable_table(3000, 2, {3}, loss::is_classification(kind), 5);
    const Task task = task_for(table, kind, 0.05, 900);
    const auto best = tests::minimum(table, task.problem);
    const auto weights = fit(method_named("objective-perturbation").plan(task, {}), tests::dataset_of(table), 1);
    for (std::size_t j = 0; j < best.size(); ++j) EXPECT_NEAR(weights[j], best[j], 5e-3) << loss::name(kind);
  }
}

// At the released point the gradient of the penalised risk must be minus the random term: its coordinates over many
// seeds have the planned deviation. 60 * 6 values; a deviation off by a quarter has probability below 1e-9.
TEST(ObjectivePerturbation, TheRandomTermHasThePlannedDeviation) {
  const auto table = tests::learnable_table(400, 2, {3}, true, 7);
  const Task task = task_for(table, loss::LossKind::logistic, 0.1);
  const Plan plan = method_named("objective-perturbation").plan(task, {});
  const data::Dataset dataset = tests::dataset_of(table);
  double square = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::vector<double> gradient;
    tests::plain_risk(table, plan.task.problem, fit(plan, dataset, seed), &gradient);
    square += tests::dot(gradient, gradient) * 400.0 * 400.0 / 360.0;
  }
  EXPECT_NEAR(std::sqrt(square) / objective_of(plan).sigma, 1, 0.25);
}

TEST(ObjectivePerturbation, InterceptIsPenalisedAndPerturbed) {
  tests::EncodedTable table = tests::random_table(500, 1, {}, true, 2);
  for (auto& target : table.targets) target = 1;
  const Plan plan = method_named("objective-perturbation").plan(task_for(table, loss::LossKind::logistic, 0.1), {});
  const data::Dataset dataset = tests::dataset_of(table);
  EXPECT_NE(fit(plan, dataset, 1)[0], fit(plan, dataset, 2)[0]);
  const Plan calm =
      method_named("objective-perturbation").plan(task_for(table, loss::LossKind::logistic, 0.1, 900), {});
  EXPECT_LT(std::abs(fit(calm, dataset, 1)[0]), 10) << "an unpenalised intercept would run away on one-class data";
}

TEST(ObjectivePerturbation, RefusesWhatItsProofDoesNotCover) {
  const auto table = tests::random_table(100, 1, {2}, true, 2);
  for (const auto kind :
       {loss::LossKind::hinge, loss::LossKind::absolute, loss::LossKind::pinball, loss::LossKind::squared}) {
    EXPECT_THROW(method_named("objective-perturbation").plan(task_for(table, kind, 0.1), {}), ArgumentError);
  }
  Task task = task_for(table, loss::LossKind::logistic, 0.1);
  task.problem.feasible_set = {loss::SetKind::ball, 1};
  EXPECT_THROW(method_named("objective-perturbation").plan(task, {}), ArgumentError);
  task = task_for(table, loss::LossKind::logistic, 0.1);
  EXPECT_THROW(method_named("objective-perturbation").plan(task, {{"calibration", "cms11"}}), ArgumentError)
      << "for pure epsilon";
  EXPECT_THROW(method_named("objective-perturbation").plan(task, {{"noise", "pure"}, {"calibration", "amp"}}),
               ArgumentError);
  task.budget.delta = 0;
  EXPECT_THROW(method_named("objective-perturbation").plan(task, {{"noise", "gaussian"}}), ArgumentError);
  task = task_for(table, loss::LossKind::logistic, 1e-4);
  EXPECT_THROW(method_named("objective-perturbation").plan(task, {}), ArgumentError)
      << "penalty * rows below 1/epsilon";
}

TEST(ObjectivePerturbation, MeasuredExcessRiskIsBelowTheBound) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    const auto table = tests::learnable_table(2000, 2, {3}, loss::is_classification(kind), 9);
    const Task task = task_for(table, kind, 0);
    const Plan plan = method_named("objective-perturbation").plan(task, {});
    const data::Dataset dataset = tests::dataset_of(table);
    Problem compared = task.problem;
    compared.feasible_set = {loss::SetKind::ball, default_radius(compared, task.facts)};
    const double best = tests::plain_risk(table, compared, tests::minimum(table, compared));
    double excess = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      excess += (tests::plain_risk(table, task.problem, fit(plan, dataset, seed)) - best) / 30;
    }
    EXPECT_LE(excess, plan.utility.excess_risk) << loss::name(kind);
  }
}

TEST(ObjectivePerturbation, WithoutADeltaTheGuaranteeIsPure) {
  const auto table = tests::random_table(500, 2, {3}, true, 1);
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    for (const double penalty : {0.0, 0.1}) {
      for (const double epsilon : {0.1, 1.0, 20.0}) {
        Task task = task_for(table, kind, penalty, epsilon);
        task.budget.delta = 0;
        const Plan plan = method_named("objective-perturbation").plan(task, {});
        EXPECT_TRUE(plan.guarantee.pure);
        EXPECT_EQ(plan.guarantee.delta, 0);
        EXPECT_LE(plan.guarantee.epsilon, epsilon);
        EXPECT_GT(plan.guarantee.epsilon, 0.999 * epsilon);
        const auto& term = std::get<privacy::PureObjectiveEvent>(plan.events.at(0).mechanism).objective;
        EXPECT_LT(privacy::epsilon_pure_objective(term), epsilon);
      }
    }
  }
}

TEST(ObjectivePerturbation, ThePureMinimiserWithHardlyAnyNoiseIsTheMinimiser) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    const auto table = tests::learnable_table(3000, 2, {3}, loss::is_classification(kind), 5);
    Task task = task_for(table, kind, 0.05, 900);
    task.budget.delta = 0;
    const auto best = tests::minimum(table, task.problem);
    const auto weights = fit(method_named("objective-perturbation").plan(task, {}), tests::dataset_of(table), 1);
    for (std::size_t j = 0; j < best.size(); ++j) EXPECT_NEAR(weights[j], best[j], 5e-3) << loss::name(kind);
  }
}

// The term's norm is Gamma(6)-distributed with the planned scale; 60 of them are off by 40 percent with probability
// below 1e-9.
TEST(ObjectivePerturbation, ThePureTermHasThePlannedNorm) {
  const auto table = tests::learnable_table(400, 2, {3}, true, 7);
  Task task = task_for(table, loss::LossKind::logistic, 0.1);
  task.budget.delta = 0;
  const Plan plan = method_named("objective-perturbation").plan(task, {});
  const data::Dataset dataset = tests::dataset_of(table);
  double norm = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::vector<double> gradient;
    tests::plain_risk(table, plan.task.problem, fit(plan, dataset, seed), &gradient);
    norm += std::sqrt(tests::dot(gradient, gradient)) * 400 / 60;
  }
  const auto& term = std::get<privacy::PureObjectiveEvent>(plan.events.at(0).mechanism).objective;
  EXPECT_NEAR(norm / (static_cast<double>(task.facts.dimension) * term.scale), 1, 0.4);
}

// However large the term, the computed point is as near to the exact minimiser, moved into the kept ball, as the
// planned sensitivity says. A penalty of 1 makes w -> -(term + gradient of the loss at w) a contraction with a known
// limit.
TEST(ObjectivePerturbation, EveryPureTermIsCoveredByThePlannedSensitivity) {
  const auto table = tests::learnable_table(200, 2, {3}, true, 3);
  Task task = task_for(table, loss::LossKind::logistic, 1, 0.5);
  task.budget.delta = 0;
  const ObjectiveSettings s = objective_settings(task, TermNoise::pure, ObjectiveCalibration::tight);
  EXPECT_GT(s.levels.size(), 20u);
  const engine::TileSums sums = tests::sums_of(table);
  const std::size_t d = task.facts.dimension;
  Problem unpenalised = task.problem;
  unpenalised.l2_penalty = 0;
  for (int bits = 28; bits <= 62; bits += 2) {
    std::vector<std::int64_t> term(d);
    for (std::size_t j = 0; j < d; ++j) term[j] = (std::int64_t{1} << bits) / static_cast<std::int64_t>(j + 1) - 5;
    term[1] = -term[1];
    std::vector<double> w(d, 0.0), gradient;
    for (int i = 0; i < 60; ++i) {
      tests::plain_risk(table, unpenalised, w, &gradient);
      for (std::size_t j = 0; j < d; ++j) {
        w[j] = -(static_cast<double>(term[j]) * s.term_step / 200 + gradient[j]);
      }
    }
    const double norm = std::sqrt(tests::dot(w, w));
    const double factor = norm > s.kept_radius ? s.kept_radius / norm : 1;
    const auto point = perturbed_minimiser(s, sums, term, {1});
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double off = static_cast<double>(point[j]) * s.lattice_step - factor * w[j];
      square += off * off;
    }
    EXPECT_LE(std::sqrt(square), s.sensitivity / 2 + s.lattice_step * std::sqrt(static_cast<double>(d))) << bits;
  }
}

TEST(ObjectivePerturbation, EarlierCalibrationsAreValidAndNeedMoreNoise) {
  const auto table = tests::random_table(5000, 2, {3}, true, 1);
  const Task task = task_for(table, loss::LossKind::logistic, 0.01);
  const double tight = objective_of(method_named("objective-perturbation").plan(task, {})).sigma;
  for (const char* name : {"kst12", "amp"}) {
    const Plan plan = method_named("objective-perturbation").plan(task, {{"calibration", name}});
    EXPECT_GT(objective_of(plan).sigma, 1.5 * tight) << name;
    EXPECT_LT(plan.guarantee.epsilon, 1) << name;
    EXPECT_EQ(fit(plan, tests::dataset_of(table), 1).size(), task.facts.dimension);
  }
  Task pure = task;
  pure.budget.delta = 0;
  const auto scale = [&](const char* name) {
    const Plan plan = method_named("objective-perturbation").plan(pure, {{"calibration", name}});
    EXPECT_LE(plan.guarantee.epsilon, 1);
    return std::get<privacy::PureObjectiveEvent>(plan.events.at(0).mechanism).objective.scale;
  };
  EXPECT_GT(scale("cms11"), scale("tight"));
}

}  // namespace
}  // namespace dperm::methods
