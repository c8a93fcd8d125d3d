// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/newton/newton.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

Task task_for(const tests::EncodedTable& table, double epsilon) {
  Task task;
  task.facts = tests::facts_of(table);
  task.budget = {epsilon, 1e-6};
  return task;
}

std::vector<double> fit(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed, int threads = 1) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return fit(plan, dataset, curator, {{threads}, {}}).weights.get();
}

TEST(Newton, SensitivityMatchesAnIndependentValue) {
  EXPECT_NEAR(newton_sensitivity(5000, 0.03), 0.0554631170272, 1e-12);
  EXPECT_THROW(newton_sensitivity(5000, 0), ArgumentError);
  EXPECT_THROW(newton_sensitivity(5000, std::nan("")), ArgumentError);
}

// Replacing a row that carries the direction by one that does not: directions differ by nearly the bound, never by
// more.
TEST(Newton, BruteForceNeighboursNeverExceedTheSensitivity) {
  for (const std::size_t rows : {1u, 2u, 6u}) {
    std::vector<tests::EncodedTable> tables;
    for (const std::int16_t q : std::initializer_list<std::int16_t>{32767, -32767, 0, 9999}) {
      for (const std::uint32_t code : {0u, 1u, 2u}) {
        tests::EncodedTable table = tests::random_table(rows, 1, {2}, true, 5);
        // The other rows have no category and a middling value.
        for (std::size_t row = 1; row < rows; ++row) {
          table.reals[0][row] = 0;
          table.codes[0][row] = 2;
        }
        table.reals[0][0] = q;
        table.codes[0][0] = code;
        tables.push_back(table);
      }
    }
    for (const double damping : {1e-3, 0.03, 1.0}) {
      const double bound = newton_sensitivity(rows, damping) + 2 * newton_direction_error(4, damping);
      double largest = 0;
      for (const double size : {0.0, 3.0, 50.0}) {
        for (const std::vector<double>& along :
             {std::vector<double>{0.5, 0.5, 0.5, 0.5}, {0, 0, 1, 0}, {0, 0.6, -0.8, 0}}) {
          std::vector<std::vector<double>> directions;
          for (const auto& table : tables) {
            directions.push_back(newton_direction(tests::sums_of(table), std::vector<double>{size, -size, 0, size},
                                                  damping, along, {1}));
          }
          for (const auto& a : directions) {
            for (const auto& b : directions) {
              double square = 0;
              for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
              largest = std::max(largest, std::sqrt(square));
            }
          }
        }
      }
      EXPECT_LE(largest, bound) << rows << ' ' << damping;
      EXPECT_GT(largest, 0.3 * bound) << "the attack is too weak to test anything";
    }
  }
}

TEST(Newton, DirectionSolvesItsSystem) {
  const auto table = tests::learnable_table(100, 2, {3}, true, 3);
  const std::vector<double> w = {0.5, -1, 2, 0, 1, -0.3};
  const std::vector<double> unit = {0.5, 0.5, 0, 0.5, 0, 0.5};
  const auto x = newton_direction(tests::sums_of(table), w, 0.1, unit, {1});
  // Curvatures are rounded down by at most 1/4096, which moves the product by at most that times the norm of x.
  std::vector<double> product(6);
  for (std::size_t j = 0; j < 6; ++j) product[j] = 0.1 * x[j];
  for (std::size_t row = 0; row < 100; ++row) {
    const auto features = tests::encoded_row(table, row);
    const double z = tests::dot(w, features), c = std::tanh(z / 2) / (2 * z) / 100;
    for (std::size_t j = 0; j < 6; ++j) product[j] += c * tests::dot(features, x) * features[j];
  }
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(product[j], unit[j], 10.0 / 4096);
}

TEST(Newton, PlansWhatItDoesAndSpendsTheBudget) {
  const auto table = tests::learnable_table(2000, 2, {3}, true, 1);
  const Plan plan = method_named("gradient-descent").plan(task_for(table, 1), {{"order", "second"}, {"steps", "3"}});
  EXPECT_EQ(plan.events.size(), 6u);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GT(plan.guarantee.epsilon, 0.999);
  const Plan again = plan_for(plan.task, plan.options);
  EXPECT_EQ(again.events, plan.events);
  const auto weights = fit(plan, tests::dataset_of(table), 5);
  EXPECT_EQ(fit(plan, tests::dataset_of(table, 64), 5, 3), weights);
}

TEST(Newton, WithHardlyAnyNoiseAFewStepsReachTheMinimum) {
  const auto table = tests::learnable_table(5000, 2, {3}, true, 4);
  Task task = task_for(table, 900);
  task.problem.l2_penalty = 0.01;
  task.problem.feasible_set = {loss::SetKind::ball, 10};
  const Plan plan = method_named("gradient-descent").plan(task, {{"order", "second"}, {"steps", "12"}});
  const auto weights = fit(plan, tests::dataset_of(table), 1);
  const double best = tests::plain_risk(table, task.problem, tests::minimum(table, task.problem));
  EXPECT_LT(tests::plain_risk(table, task.problem, weights) - best, 1e-3);
}

TEST(Newton, RefusesWhatItDoesNotCover) {
  const auto table = tests::random_table(100, 1, {}, true, 1);
  Task task = task_for(table, 1);
  const auto plan = [&](const std::map<std::string, std::string>& options) {
    return method_named("gradient-descent").plan(task, options);
  };
  EXPECT_THROW(plan({{"order", "second"}, {"momentum", "0.5"}}), ArgumentError);
  EXPECT_THROW(plan({{"order", "second"}, {"step_size", "1"}}), ArgumentError);
  EXPECT_THROW(plan({{"damping", "1"}}), ArgumentError);
  task.problem.loss.kind = loss::LossKind::hinge;
  EXPECT_THROW(plan({{"order", "second"}}), ArgumentError);
  task.problem.loss.kind = loss::LossKind::logistic;
  task.budget.delta = 0;
  EXPECT_THROW(plan({{"order", "second"}}), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
