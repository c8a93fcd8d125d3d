// SPDX-License-Identifier: Apache-2.0
// Softmax regression by gradient descent and output perturbation: one score per class.
#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "tests/support/derivation.hpp"
#include "tests/support/minimum.hpp"
#include "tests/support/one_row.hpp"

namespace dperm::methods {
namespace {

using tests::derived;

using Options = std::map<std::string, std::string>;

Task task_for(const tests::EncodedTable& table, loss::FeasibleSet set, double penalty = 0, double epsilon = 1) {
  Task task;
  task.problem.loss.kind = loss::LossKind::softmax;
  task.problem.l2_penalty = penalty;
  task.problem.feasible_set = set;
  task.facts = tests::facts_of(table);
  task.budget = {epsilon, 1e-6};
  return task;
}

loss::FeasibleSet ball(double radius) { return {loss::SetKind::ball, radius}; }

std::vector<double> seeded(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed, int threads = 1) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  const FitResult result = fit(plan, dataset, curator, {{threads}, {}});
  EXPECT_EQ(result.events, plan.events);
  EXPECT_EQ(privacy::account(result.events, plan.task.budget.delta), plan.guarantee);
  return result.weights.get();
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

// Rows with every corner of two reals, every category and every class.
std::vector<tests::EncodedTable> adversarial_rows(std::size_t classes) {
  std::vector<tests::EncodedTable> rows;
  for (const std::int16_t a : std::initializer_list<std::int16_t>{32767, -32767, 11}) {
    for (const std::int16_t b : std::initializer_list<std::int16_t>{32767, -32767}) {
      for (const std::uint32_t code : {0u, 1u, 2u}) {
        for (std::size_t k = 0; k < classes; ++k) {
          rows.push_back({{{a}, {b}}, {2}, {{code}}, {static_cast<std::int32_t>(k)}});
        }
      }
    }
  }
  return rows;
}

// Random points, and points that put all weight on the difference of two classes in one feature: there rows that hardly
// differ have gradients that point away from each other.
std::vector<std::vector<double>> adversarial_points(std::size_t classes, std::size_t dimension, double radius) {
  std::vector<std::vector<double>> points = {std::vector<double>(classes * dimension, 0.0)};
  for (const unsigned seed : {1u, 2u, 3u}) {
    points.push_back(tests::random_weights(classes * dimension, radius * (1 - 1e-12), seed));
  }
  for (std::size_t j = 0; j < dimension; ++j) {
    std::vector<double> w(classes * dimension, 0.0);
    w[j] = radius * std::sqrt(0.5) * (1 - 1e-12);
    w[dimension + j] = -w[j];
    points.push_back(w);
  }
  // The same with two categories of one column, the last two features.
  std::vector<double> w(classes * dimension, 0.0);
  w[dimension - 1] = w[2 * dimension - 2] = radius / 2 * (1 - 1e-12);
  w[dimension - 2] = w[2 * dimension - 1] = -radius / 2 * (1 - 1e-12);
  points.push_back(w);
  return points;
}

TEST(GradientLatticeSoftmax, BruteForceNeighboursNeverExceedTheSensitivity) {
  for (const std::size_t classes : {2u, 4u}) {
    const auto rows = adversarial_rows(classes);
    PublicFacts facts = tests::facts_of(rows[0]);
    facts.classes = classes;
    const loss::Loss loss{loss::LossKind::softmax};
    for (const auto resolution : {engine::Resolution::release, engine::Resolution::solver}) {
      for (const double radius : {0.3, 40.0}) {
        const GradientLattice lattice = gradient_lattice(loss, radius, facts, resolution);
        double largest = 0;
        for (const auto& w : adversarial_points(classes, facts.dimension, radius)) {
          std::vector<std::vector<std::int64_t>> sums;
          for (const auto& row : rows) {
            sums.push_back(gradient_on_lattice(tests::sums_of(row), loss, lattice, w, resolution, {1}));
          }
          for (const auto& a : sums) {
            for (const auto& b : sums) {
              std::vector<std::int64_t> change = a;
              for (std::size_t j = 0; j < change.size(); ++j) change[j] -= b[j];
              largest = std::max(largest, std::sqrt(static_cast<double>(tests::square_norm(change))));
            }
          }
        }
        EXPECT_LE(largest, lattice.l2_sensitivity) << radius;
        // Rows that differ in a category alone: sqrt(8 (1 - 1/(2 m))) of sqrt(8), for m = 4 columns.
        EXPECT_GT(largest, (radius > 1 ? 0.93 : 0.5) * lattice.l2_sensitivity) << "the attack is too weak";
      }
    }
  }
}

TEST(GradientDescentSoftmax, NoiseIsThatOfTwoRootsOfTwo) {
  const auto table = tests::class_table(100, 2, {3}, 4, 1);
  const Plan plan = method_named("gradient-descent").plan(task_for(table, ball(5)), {{"steps", "25"}});
  const auto& event = std::get<privacy::GaussianEvent>(plan.events.at(0).mechanism);
  EXPECT_EQ(plan.events.at(0).repetitions, 25);
  // mu(1, 1e-6) = 0.236704380663, reference value to 12 digits.
  EXPECT_NEAR(event.l2_sensitivity * 5 / event.sigma, 0.236704380663, 1e-9);
  const double noise = derived(plan, "noise of a coordinate of the mean gradient");
  EXPECT_NEAR(noise, 2 * std::sqrt(2.0) / 100 * 5 / 0.236704380663, 1e-6 * noise);
  EXPECT_EQ(derived(plan, "weights"), static_cast<double>(4 * table.dimension()));
}

TEST(GradientDescentSoftmax, SpendsTheBudgetStaysInTheSetAndGivesTheSameBits) {
  const auto table = tests::class_table(300, 2, {3}, 3, 2);
  for (const loss::FeasibleSet set : {ball(0.7), loss::FeasibleSet{loss::SetKind::box, 0.1}, loss::FeasibleSet{}}) {
    const Plan plan = method_named("gradient-descent").plan(task_for(table, set), {{"steps", "20"}});
    EXPECT_LE(plan.guarantee.epsilon, 1);
    EXPECT_GT(plan.guarantee.epsilon, 0.999) << "budget is wasted";
    EXPECT_EQ(plan_for(plan.task, plan.options).events, plan.events);
    const auto weights = seeded(plan, tests::dataset_of(table), 3);
    ASSERT_EQ(weights.size(), 3 * table.dimension());
    EXPECT_EQ(seeded(plan, tests::dataset_of(table, 64), 3, 3), weights);
    auto projected = weights;
    loss::project(plan.task.problem.feasible_set, projected);
    EXPECT_LT(distance(weights, projected), 1e-12);
  }
  const Plan free = method_named("gradient-descent").plan(task_for(table, {}), {});
  EXPECT_DOUBLE_EQ(free.task.problem.feasible_set.radius, 10 * std::sqrt(4.0));
}

TEST(GradientDescentSoftmax, WithHardlyAnyNoiseItIsPlainRiskMinimisation) {
  const auto table = tests::class_table(1000, 2, {3}, 3, 4);
  for (const loss::FeasibleSet set : {ball(4), loss::FeasibleSet{loss::SetKind::box, 1}}) {
    const Task task = task_for(table, set, 0.05, 900);
    const Plan plan = method_named("gradient-descent")
                          .plan(task, {{"steps", "800"}, {"step_size", "1.8"}, {"average_fraction", "0.2"}});
    const auto weights = seeded(plan, tests::dataset_of(table), 1);
    const auto best = tests::softmax_minimum(table, 3, task.problem);
    EXPECT_NEAR(tests::softmax_risk(table, 3, 0.05, weights), tests::softmax_risk(table, 3, 0.05, best), 3e-5);
    EXPECT_LT(distance(weights, best), 0.04);
    EXPECT_GT(tests::norm_of(best), 1) << "there is something to learn";
  }
}

// Bounds are expectations and loose by far more than the spread of a mean of 20.
TEST(GradientDescentSoftmax, MeasuredExcessRiskIsBelowTheBound) {
  const auto table = tests::class_table(600, 2, {3}, 3, 9);
  const data::Dataset dataset = tests::dataset_of(table);
  for (const char* schedule : {"constant", "strongly-convex"}) {
    const Task task = task_for(table, ball(2), 0.1);
    const Plan plan = method_named("gradient-descent").plan(task, {{"schedule", schedule}});
    double excess = -tests::softmax_risk(table, 3, 0.1, tests::softmax_minimum(table, 3, task.problem));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      excess += tests::softmax_risk(table, 3, 0.1, seeded(plan, dataset, seed)) / 20;
    }
    EXPECT_LE(excess, plan.utility.excess_risk) << schedule;
    EXPECT_GT(excess, -1e-6) << "the reference minimum is no minimum";
    EXPECT_TRUE(std::isfinite(plan.utility.excess_risk));
  }
}

TEST(GradientDescentSoftmax, RefusesWhatItDoesNotCover) {
  const auto table = tests::class_table(100, 1, {2}, 3, 2);
  Task task = task_for(table, {});
  EXPECT_THROW(method_named("gradient-descent").plan(task, {{"order", "second"}}), ArgumentError);
  EXPECT_THROW(method_named("gradient-descent").plan(task, {{"schedule", "strongly-convex"}}), ArgumentError)
      << "no penalty";
  task.problem.hidden = {4};
  EXPECT_THROW(method_named("gradient-descent").plan(task, {}), ArgumentError);
  task.problem.hidden = {};
  task.facts.classes = 0;
  EXPECT_THROW(method_named("gradient-descent").plan(task, {}), ArgumentError);
  task.facts.classes = 3;
  task.budget.delta = 0;
  EXPECT_THROW(method_named("gradient-descent").plan(task, {}), ArgumentError);
}

TEST(OutputPerturbationSoftmax, SensitivityIsThatOfTwoRootsOfTwoPlusTheResidual) {
  const auto table = tests::class_table(1000, 2, {3}, 5, 1);
  const Plan plan = method_named("output-perturbation").plan(task_for(table, {}, 0.01), {{"solver", "certified"}});
  const double exact = 2 * std::sqrt(2.0) / (1000 * 0.01);
  EXPECT_GT(derived(plan, "sensitivity of the minimiser"), exact);
  EXPECT_LE(derived(plan, "sensitivity of the minimiser"), exact * 1.0101);
}

// A budget so large that the noise hardly moves the point.
std::vector<double> nearly_exact(const tests::EncodedTable& table, Task task, const Options& options) {
  task.budget.epsilon = 999;
  return seeded(method_named("output-perturbation").plan(task, options), tests::dataset_of(table), 1);
}

TEST(OutputPerturbationSoftmax, BruteForceNeighboursNeverExceedTheSensitivity) {
  // A class of its own for the replaced row lets it move the minimiser most.
  tests::EncodedTable base = tests::class_table(6, 2, {2}, 3, 3);
  for (auto& target : base.targets) target = 0;
  const Options of_descent = {{"solver", "gradient-descent"}, {"passes", "30"}, {"step_size", "1.5"}};
  for (const Options& options : {Options{{"solver", "certified"}}, of_descent}) {
    const Task task = task_for(base, ball(20), 0.2);
    const bool certified = options.size() == 1;
    const double bound = derived(method_named("output-perturbation").plan(task, options),
                                 certified ? "sensitivity of the minimiser" : "sensitivity of the point");
    std::vector<std::vector<double>> points;
    for (const auto& row : adversarial_rows(3)) {
      tests::EncodedTable neighbour = base;
      for (std::size_t j = 0; j < 2; ++j) neighbour.reals[j][0] = row.reals[j][0];
      neighbour.codes[0][0] = row.codes[0][0];
      neighbour.targets[0] = row.targets[0];
      points.push_back(nearly_exact(neighbour, task, options));
    }
    double largest = 0;
    for (const auto& a : points) {
      for (const auto& b : points) largest = std::max(largest, distance(a, b));
    }
    EXPECT_LE(largest, 1.05 * bound) << "5 percent: what the tiny noise of the two runs can add, generously";
    EXPECT_GT(largest, 0.3 * bound) << "the attack is too weak to test anything";
  }
}

TEST(OutputPerturbationSoftmax, WithHardlyAnyNoiseItIsTheMinimiser) {
  const auto table = tests::class_table(500, 2, {3}, 3, 5);
  for (const loss::FeasibleSet set : {loss::FeasibleSet{}, ball(1.5), loss::FeasibleSet{loss::SetKind::box, 0.5}}) {
    const Task task = task_for(table, set, 0.05);
    const auto best = tests::softmax_minimum(table, 3, task.problem);
    for (const char* solver : {"certified", "gradient-descent"}) {
      EXPECT_LT(distance(nearly_exact(table, task, {{"solver", solver}}), best), 0.02) << solver;
    }
    EXPECT_GT(tests::norm_of(best), 0.5);
  }
}

TEST(OutputPerturbationSoftmax, EverySolverPlansWhatItDoesAndStaysInTheSet) {
  const auto table = tests::class_table(300, 2, {3}, 3, 6);
  for (const char* solver : {"auto", "certified", "gradient-descent"}) {
    for (const double penalty : {0.0, 0.1}) {
      for (const loss::FeasibleSet set : {loss::FeasibleSet{}, ball(0.7), loss::FeasibleSet{loss::SetKind::box, 0.3}}) {
        for (const double delta : {0.0, 1e-6}) {
          Task task = task_for(table, set, penalty);
          task.budget.delta = delta;
          const Plan plan = method_named("output-perturbation").plan(task, {{"solver", solver}});
          EXPECT_EQ(plan.guarantee.pure, delta == 0);
          EXPECT_LE(plan.guarantee.epsilon, 1);
          EXPECT_GT(plan.guarantee.epsilon, 0.999);
          EXPECT_EQ(plan_for(plan.task, plan.options).events, plan.events);
          EXPECT_TRUE(std::isfinite(plan.utility.excess_risk));
          const auto weights = seeded(plan, tests::dataset_of(table), 3);
          ASSERT_EQ(weights.size(), 3 * table.dimension());
          EXPECT_EQ(seeded(plan, tests::dataset_of(table, 64), 3, 3), weights);
          auto projected = weights;
          loss::project(set, projected);
          EXPECT_LT(distance(weights, projected), 1e-12);
        }
      }
    }
  }
}

TEST(OutputPerturbationSoftmax, MeasuredExcessRiskIsBelowTheBound) {
  const auto table = tests::class_table(1000, 2, {3}, 3, 9);
  const data::Dataset dataset = tests::dataset_of(table);
  Problem compared;
  compared.loss.kind = loss::LossKind::softmax;
  compared.feasible_set = ball(default_radius(compared, tests::facts_of(table)));
  const double best = tests::softmax_risk(table, 3, 0, tests::softmax_minimum(table, 3, compared));
  for (const char* solver : {"certified", "gradient-descent"}) {
    for (const double penalty : {0.0, 0.3}) {
      const Plan plan = method_named("output-perturbation").plan(task_for(table, {}, penalty), {{"solver", solver}});
      double excess = -best;
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        excess += tests::softmax_risk(table, 3, 0, seeded(plan, dataset, seed)) / 10;
      }
      EXPECT_LE(excess, plan.utility.excess_risk) << solver << " penalty " << penalty;
      EXPECT_GT(excess, 0) << "the reference minimum is no minimum";
    }
  }
}

TEST(OutputPerturbationSoftmax, RefusesBatchesAndNetworks) {
  const auto table = tests::class_table(100, 1, {2}, 3, 2);
  Task task = task_for(table, {}, 0.1);
  EXPECT_THROW(method_named("output-perturbation").plan(task, {{"solver", "permutation-sgd"}}), ArgumentError);
  EXPECT_THROW(method_named("output-perturbation").plan(task, {{"batch", "10"}}), ArgumentError);
  task.problem.hidden = {4};
  EXPECT_THROW(method_named("output-perturbation").plan(task, {}), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
