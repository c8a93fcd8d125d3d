// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/methods/shared/penalised_risk.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/derivation.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

using tests::derived;

Task task_for(const tests::EncodedTable& table, loss::LossKind kind, double penalty) {
  Task task;
  task.problem.loss.kind = kind;
  task.problem.l2_penalty = penalty;
  task.facts = tests::facts_of(table);
  task.budget = {0.9, 1e-5};
  return task;
}

using Options = std::map<std::string, std::string>;
const Options kCertified = {{"solver", "certified"}};

std::vector<double> fit(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return fit(plan, dataset, curator, {}).weights.get();
}

// A budget so large that the noise hardly moves the point: what is left is the minimiser the solver found.
std::vector<double> nearly_exact(const tests::EncodedTable& table, Task task) {
  task.budget.epsilon = 999;
  return fit(method_named("output-perturbation").plan(task, kCertified), tests::dataset_of(table), 1);
}

TEST(OutputPerturbation, SensitivityIsTheTheoremsPlusTheResidual) {
  // 2 G / (n lambda) for G = 1, n = 1000, lambda = 0.01 is 0.2; the residual may add one percent, and the logistic
  // gradient difference on the ball of radius G / lambda is slightly below 2.
  const tests::EncodedTable table = tests::random_table(1000, 2, {3}, true, 1);
  const Plan plan =
      method_named("output-perturbation").plan(task_for(table, loss::LossKind::logistic, 0.01), kCertified);
  const double sensitivity = derived(plan, "sensitivity of the minimiser");
  EXPECT_GT(sensitivity, 0.2 * 0.98);
  EXPECT_LE(sensitivity, 0.2 * 1.0101);
}

TEST(OutputPerturbation, BruteForceNeighboursNeverExceedTheSensitivity) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    const bool binary = loss::is_classification(kind);
    tests::EncodedTable base = tests::random_table(8, 1, {2}, binary, 3);
    const Task task = task_for(base, kind, 0.5);
    const double bound =
        derived(method_named("output-perturbation").plan(task, kCertified), "sensitivity of the minimiser");
    // What the tiny noise of the nearly exact run can move a point by, generously.
    const double slack = 0.05 * bound;
    const auto reference = nearly_exact(base, task);
    double largest = 0;
    for (const std::int16_t q : std::initializer_list<std::int16_t>{32767, -32767, 0}) {
      for (const std::uint32_t code : {0u, 1u, 2u}) {
        for (const std::int32_t target : {1, -1}) {
          tests::EncodedTable neighbour = base;
          neighbour.reals[0][0] = q;
          neighbour.codes[0][0] = code;
          neighbour.targets[0] = binary ? target : target * (1 << 30);
          const auto other = nearly_exact(neighbour, task);
          double distance = 0;
          for (std::size_t j = 0; j < other.size(); ++j) distance += std::pow(other[j] - reference[j], 2);
          largest = std::max(largest, std::sqrt(distance));
        }
      }
    }
    EXPECT_LE(largest, bound + slack) << loss::name(kind);
    EXPECT_GT(largest, 0.1 * bound) << "the attack is too weak to test anything";
  }
}

TEST(OutputPerturbation, WithHardlyAnyNoiseItIsTheMinimiser) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::smoothed_hinge, loss::LossKind::huber}) {
    const auto table = tests::learnable_table(2000, 2, {3}, loss::is_classification(kind), 5);
    const Task task = task_for(table, kind, 0.05);
    const auto best = tests::minimum(table, task.problem);
    const auto weights = nearly_exact(table, task);
    for (std::size_t j = 0; j < best.size(); ++j) EXPECT_NEAR(weights[j], best[j], 2e-3) << loss::name(kind);
  }
}

TEST(OutputPerturbation, SolvesInsideAFeasibleSet) {
  const auto table = tests::learnable_table(2000, 2, {3}, false, 6);
  Task task = task_for(table, loss::LossKind::squared, 0.05);
  for (const auto kind : {loss::SetKind::ball, loss::SetKind::box}) {
    task.problem.feasible_set = {kind, 0.4};
    const auto best = tests::minimum(table, task.problem);
    const auto weights = nearly_exact(table, task);
    for (std::size_t j = 0; j < best.size(); ++j) EXPECT_NEAR(weights[j], best[j], 5e-3);
  }
}

// A solver may try any point; a refusal that depends on where the records lead it would be a message about them.
TEST(OutputPerturbation, TheObjectiveIsTotal) {
  const auto table = tests::learnable_table(20, 1, {}, true, 3);
  const auto sums = tests::sums_of(table);
  const Problem problem;
  const auto lattice = gradient_lattice(problem.loss, 1, tests::facts_of(table), engine::Resolution::solver);
  const PenalisedRisk risk(sums, problem, lattice, 1e300, {});
  for (const double far : {0x1p59, 0x1p60, 1e300, std::nan("")}) {
    std::vector<double> gradient(2);
    const double value = risk.value_and_gradient(std::vector<double>{far, 0.0}, gradient);
    EXPECT_EQ(std::isfinite(value), far <= 0x1p60) << far;
  }
}

// Condition numbers of up to 2.5e6, with the minimum on the boundary and inside.
TEST(OutputPerturbation, MeetsItsResidualInASetForLargeConditionNumbers) {
  const auto table = tests::learnable_table(60, 3, {4}, true, 8);
  for (const double radius : {0.5, 50.0}) {
    for (const double penalty : {1e-3, 1e-5, 1e-7}) {
      Task task = task_for(table, loss::LossKind::logistic, penalty);
      task.problem.feasible_set = {loss::SetKind::ball, radius};
      const Plan plan = method_named("output-perturbation").plan(task, kCertified);
      EXPECT_NO_THROW(fit(plan, tests::dataset_of(table), 1)) << radius << ' ' << penalty;
    }
  }
}

TEST(OutputPerturbation, InterceptIsPenalisedAndNoised) {
  tests::EncodedTable table = tests::random_table(500, 1, {}, true, 2);
  for (auto& target : table.targets) target = 1;
  const Task task = task_for(table, loss::LossKind::logistic, 0.1);
  const Plan plan = method_named("output-perturbation").plan(task, {});
  const data::Dataset dataset = tests::dataset_of(table);
  EXPECT_NE(fit(plan, dataset, 1)[0], fit(plan, dataset, 2)[0]);
  // An unpenalised intercept would run away to infinity on one-class data; this one is at most G / lambda.
  EXPECT_LT(std::abs(nearly_exact(table, task)[0]), 10);
}

TEST(OutputPerturbation, PureNoiseGivesPureEpsilon) {
  const auto table = tests::random_table(500, 1, {2}, true, 2);
  Task task = task_for(table, loss::LossKind::logistic, 0.1);
  task.budget.delta = 0;
  const Plan plan = method_named("output-perturbation").plan(task, {});
  EXPECT_TRUE(plan.guarantee.pure);
  EXPECT_EQ(plan.guarantee.delta, 0);
  EXPECT_LE(plan.guarantee.epsilon, 0.9);
  EXPECT_TRUE(std::holds_alternative<privacy::KNormEvent>(plan.events.at(0).mechanism));
  EXPECT_NO_THROW(fit(plan, tests::dataset_of(table), 1));
}

TEST(OutputPerturbation, TextbookNoiseIsLargerAndRefusedFromEpsilonOne) {
  const auto table = tests::random_table(500, 1, {2}, true, 2);
  Task task = task_for(table, loss::LossKind::logistic, 0.1);
  task.budget.epsilon = 0.5;
  const auto sigma = [&](const char* noise) {
    return std::get<privacy::GaussianEvent>(
               method_named("output-perturbation").plan(task, {{"noise", noise}}).events[0].mechanism)
        .sigma;
  };
  EXPECT_GT(sigma("textbook"), sigma("gaussian"));
  task.budget.epsilon = 1;
  EXPECT_THROW(sigma("textbook"), ArgumentError);
}

TEST(OutputPerturbation, RefusesMoreWeightsThanItsSamplerServesBeforeAnyDataIsRead) {
  Task task;
  task.problem.l2_penalty = 1;
  task.facts = {1000, 200'000, 10};
  task.budget = {1, 0};
  EXPECT_THROW(method_named("output-perturbation").plan(task, {}), ArgumentError);
  task.facts.dimension = 100'000;
  EXPECT_NO_THROW(method_named("output-perturbation").plan(task, {}));
}

TEST(OutputPerturbation, RefusesKinks) {
  const auto table = tests::random_table(100, 1, {2}, true, 2);
  for (const auto kind : {loss::LossKind::hinge, loss::LossKind::absolute, loss::LossKind::pinball}) {
    EXPECT_THROW(method_named("output-perturbation").plan(task_for(table, kind, 0.1), {}), ArgumentError);
  }
}

TEST(OutputPerturbation, RefusesAPenaltyThatNoSolverCouldServe) {
  const auto table = tests::random_table(100, 1, {2}, true, 2);
  const Task task = task_for(table, loss::LossKind::logistic, 1e-10);
  EXPECT_THROW(method_named("output-perturbation").plan(task, kCertified), ArgumentError);
  EXPECT_EQ(algorithm_name(method_named("output-perturbation").plan(task, {}).options), "output-descent");
}

TEST(OutputPerturbation, RefusesUnboundedSlopes) {
  const auto table = tests::random_table(100, 1, {2}, false, 2);
  EXPECT_THROW(method_named("output-perturbation").plan(task_for(table, loss::LossKind::squared, 0.1), {}),
               ArgumentError);
}

TEST(OutputPerturbation, RefusesGaussianNoiseWithoutDelta) {
  const auto table = tests::random_table(100, 1, {2}, true, 2);
  Task task = task_for(table, loss::LossKind::logistic, 0.1);
  task.budget.delta = 0;
  EXPECT_THROW(method_named("output-perturbation").plan(task, {{"noise", "gaussian"}}), ArgumentError);
}

TEST(OutputPerturbation, MeasuredExcessRiskIsBelowTheBound) {
  const auto table = tests::learnable_table(1000, 2, {3}, true, 9);
  const data::Dataset dataset = tests::dataset_of(table);
  Problem compared;
  compared.feasible_set = {loss::SetKind::ball, default_radius(compared, tests::facts_of(table))};
  const double best = tests::plain_risk(table, compared, tests::minimum(table, compared));
  for (const char* solver : {"certified", "gradient-descent", "permutation-sgd"}) {
    for (const double penalty : {0.0, 0.3}) {
      const Task task = task_for(table, loss::LossKind::logistic, penalty);
      const Plan plan = method_named("output-perturbation").plan(task, {{"solver", solver}});
      double excess = 0;
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        excess += (tests::plain_risk(table, compared, fit(plan, dataset, seed)) - best) / 10;
      }
      EXPECT_LE(excess, plan.utility.excess_risk) << solver << " penalty " << penalty;
      EXPECT_GT(excess, -1e-6) << "the reference minimum is no minimum";
    }
  }
}

// The properties of method_test.cpp, for the solvers and sets that its default task does not reach.
TEST(OutputPerturbation, EverySolverPlansWhatItDoesAndStaysInTheSet) {
  const auto table = tests::learnable_table(300, 2, {3}, true, 1);
  for (const char* solver : {"certified", "gradient-descent", "permutation-sgd"}) {
    for (const double penalty : {0.0, 0.1}) {
      for (const auto kind : {loss::SetKind::unconstrained, loss::SetKind::ball, loss::SetKind::box}) {
        for (const double delta : {0.0, 1e-6}) {
          Task task = task_for(table, loss::LossKind::logistic, penalty);
          task.problem.feasible_set = {kind, 0.7};
          task.budget.delta = delta;
          const Plan plan = method_named("output-perturbation").plan(task, {{"solver", solver}});
          const Plan again = plan_for(plan.task, plan.options);
          EXPECT_EQ(again.events, plan.events);
          EXPECT_EQ(again.utility.excess_risk, plan.utility.excess_risk);
          EXPECT_TRUE(std::isfinite(plan.utility.excess_risk));
          const auto weights = fit(plan, tests::dataset_of(table), 3);
          EXPECT_EQ(fit(plan, tests::dataset_of(table, 64), 3), weights);
          auto projected = weights;
          loss::project(task.problem.feasible_set, projected);
          for (std::size_t j = 0; j < weights.size(); ++j) EXPECT_NEAR(weights[j], projected[j], 1e-12);
        }
      }
    }
  }
}

TEST(OutputPerturbation, AutoTakesTheSolverWithTheSmallerBoundAndHeedsItsOptions) {
  Task task;
  task.budget = {1, 1e-6};
  const auto plan = [&](std::size_t rows, const Options& options) {
    task.facts = {rows, 100, 15};
    return method_named("output-perturbation").plan(task, options);
  };
  for (const std::size_t rows : {1000u, 100'000u, 10'000'000u}) {
    const double certified = plan(rows, kCertified).utility.excess_risk;
    const double descent = plan(rows, {{"solver", "gradient-descent"}}).utility.excess_risk;
    EXPECT_EQ(plan(rows, {}).utility.excess_risk, std::fmin(certified, descent));
  }
  EXPECT_EQ(algorithm_name(plan(1000, {{"passes", "3"}}).options), "output-descent");
  EXPECT_EQ(algorithm_name(plan(1000, {{"batch", "10"}}).options), "output-sgd");
  EXPECT_THROW(plan(1000, {{"solver", "certified"}, {"passes", "3"}}), ArgumentError);
  EXPECT_THROW(plan(1000, {{"solver", "gradient-descent"}, {"batch", "3"}}), ArgumentError);
  EXPECT_THROW(plan(1000, {{"batch", "1001"}}), ArgumentError);
  EXPECT_THROW(plan(1000, {{"step_size", "8.01"}}), ArgumentError);
  EXPECT_THROW(plan(1000, {{"step_size", "7.9"}}), ArgumentError) << "no bound to choose the passes by";
  EXPECT_NO_THROW(plan(1000, {{"step_size", "7.9"}, {"passes", "3"}}));
}

}  // namespace
}  // namespace dperm::methods
