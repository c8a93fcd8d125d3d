// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_ball/exponential_ball.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/methods/exponential_ball/ball_costs.hpp"
#include "dperm/methods/method.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/engine_reference.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::methods {
namespace {

using Point = std::vector<std::uint64_t>;
using tests::EncodedTable;

Task ask(const EncodedTable& table, loss::Loss loss, double radius, double epsilon) {
  Task task{{}, tests::facts_of(table), {epsilon, 0}};
  task.problem.loss = loss;
  task.problem.feasible_set = {loss::SetKind::ball, radius};
  return task;
}

void for_each_point(const WeightGrid& grid, const std::function<void(const Point&)>& visit) {
  Point point(grid.dimension, 0);
  const std::uint64_t end = std::uint64_t{1} << grid.bits;
  for (;;) {
    if (grid.contains(point)) visit(point);
    std::size_t j = 0;
    while (j < point.size() && ++point[j] == end) point[j++] = 0;
    if (j == point.size()) return;
  }
}

// The costs of every point of the grid, in the order of for_each_point.
std::vector<std::int64_t> all_costs(const EncodedTable& table, const Task& task, const WeightGrid& grid,
                                    const CostUnits& units) {
  const engine::TileSums sums = tests::sums_of(table);
  const RiskCosts costs(sums, task.problem, grid, units, {1});
  std::vector<std::int64_t> result;
  for_each_point(grid, [&](const Point& point) { result.push_back(costs.cost(point)); });
  return result;
}

// The mechanism's distribution from its integer costs and the recorded scale.
std::vector<double> distribution_of(const std::vector<std::int64_t>& costs, const privacy::ExponentialEvent& event) {
  const std::int64_t best = *std::min_element(costs.begin(), costs.end());
  std::vector<double> distribution;
  double total = 0;
  for (const std::int64_t cost : costs) {
    distribution.push_back(std::exp(-static_cast<double>(cost - best) * static_cast<double>(event.scale_denominator) /
                                    static_cast<double>(event.scale_numerator)));
    total += distribution.back();
  }
  for (double& p : distribution) p /= total;
  return distribution;
}

double largest_log_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(std::log(a[i] / b[i])));
  return largest;
}

privacy::ExponentialEvent event_of(const Plan& plan) {
  return std::get<privacy::ExponentialEvent>(plan.events.front().mechanism);
}

// Rows (1, q) with the given targets.
EncodedTable rows_of(const std::vector<std::int16_t>& column, const std::vector<std::int32_t>& targets) {
  EncodedTable table;
  table.reals = {column};
  table.targets = targets;
  return table;
}

TEST(BallCosts, NoBoxHoldsAPointBelowItsBound) {
  std::mt19937_64 random(1);
  for (const loss::Loss& loss : tests::example_losses()) {
    for (const double penalty : {0.0, 0.8}) {
      for (const auto kind : {loss::SetKind::ball, loss::SetKind::box}) {
        const auto table = tests::learnable_table(70, 1, {}, loss::is_classification(loss.kind), 3);
        Task task = ask(table, loss, 1.7, 1);
        task.problem.feasible_set.kind = kind;
        task.problem.l2_penalty = penalty;
        const CostUnits units = cost_units(task);
        const WeightGrid grid{task.problem.feasible_set, 2, 5};
        const engine::TileSums sums = tests::sums_of(table);
        const RiskCosts costs(sums, task.problem, grid, units, {1});
        for (int trial = 0; trial < 60; ++trial) {
          random::LatticeBox box{{0, 0}, {static_cast<int>(random() % 6), static_cast<int>(random() % 6)}};
          for (std::size_t j = 0; j < 2; ++j) box.first[j] = (random() % 32) >> box.bits[j] << box.bits[j];
          const auto bound = costs.bound(box);
          std::int64_t least = std::numeric_limits<std::int64_t>::max();
          for (std::uint64_t a = 0; a < 1u << box.bits[0]; ++a) {
            for (std::uint64_t b = 0; b < 1u << box.bits[1]; ++b) {
              const Point point{box.first[0] + a, box.first[1] + b};
              if (!grid.contains(point)) continue;
              least = std::min(least, costs.cost(point));
              ASSERT_TRUE(bound) << "a box with points was dropped";
            }
          }
          ASSERT_TRUE(!bound || bound->lower <= least) << loss::name(loss.kind);
          // A single point's bound is its cost, up to rounding.
          if (bound && box.bits[0] + box.bits[1] == 0 && grid.contains(box.first)) {
            EXPECT_LE(static_cast<double>(least - bound->lower), 1e-9 * units.steps * 70);
          }
        }
      }
    }
  }
}

TEST(BallCosts, RangeHoldsForEveryReplacementAndIsNearlyAttained) {
  std::mt19937_64 random(5);
  for (const loss::Loss& loss : tests::example_losses()) {
    const bool classification = loss::is_classification(loss.kind);
    const std::int32_t one = classification ? 1 : 1 << 30;
    EncodedTable table = rows_of({32767, 32767, -32767, 100}, {one, -one, one, -one});
    const Task task = ask(table, loss, 2, 1);
    const CostUnits units = cost_units(task);
    const WeightGrid grid{task.problem.feasible_set, 2, 6};
    const auto before = all_costs(table, task, grid, units);
    double largest = 0;
    for (const std::int16_t q : std::vector<std::int16_t>{32767, -32767, 0}) {
      for (const std::int32_t y : {one, -one, classification ? 1 : 0}) {
        EncodedTable neighbour = table;
        neighbour.reals[0][0] = q;
        neighbour.targets[0] = y;
        const auto after = all_costs(neighbour, task, grid, units);
        std::int64_t most = std::numeric_limits<std::int64_t>::min(), least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < before.size(); ++i) {
          most = std::max(most, after[i] - before[i]);
          least = std::min(least, after[i] - before[i]);
        }
        largest = std::max(largest, static_cast<double>(most - least));
      }
    }
    EXPECT_LE(largest, static_cast<double>(units.range)) << loss::name(loss.kind);
    // Grid points stop short of the sphere. The range of both records is reached for opposite targets.
    if (loss.kind == loss::LossKind::logistic || loss.kind == loss::LossKind::absolute) {
      EXPECT_GE(largest, 0.6 * static_cast<double>(units.range)) << loss::name(loss.kind);
    }
  }
}

TEST(BallCosts, LogisticRangeIsTwiceTheRadius) {
  const auto table = tests::learnable_table(1000, 1, {}, true, 3);
  const CostUnits units = cost_units(ask(table, {}, 3, 1));
  EXPECT_NEAR(static_cast<double>(units.range) * units.value_bound / units.steps, 6, 1e-9);
}

TEST(ExponentialBall, LogRatiosOfNeighboursAreAtMostEpsilonAndComeCloseToIt) {
  const Method& method = method_named("exponential");
  for (const std::size_t reals : {std::size_t{0}, std::size_t{1}}) {
    double largest = 0;
    for (const int positive : {0, 10, 40}) {
      EncodedTable table;
      if (reals == 1) table.reals = {std::vector<std::int16_t>(40, 32767)};
      table.targets.assign(40, -1);
      std::fill_n(table.targets.begin(), positive, 1);
      EncodedTable neighbour = table;
      neighbour.targets[39] = -neighbour.targets[39];
      const Task task = ask(table, {}, 3, 0.8);
      const Plan plan = method.plan(task, {{"grid_bits", "5"}});
      const WeightGrid grid{plan.task.problem.feasible_set, 1 + reals, 5};
      const CostUnits units = cost_units(plan.task);
      const auto a = distribution_of(all_costs(table, plan.task, grid, units), event_of(plan));
      const auto b = distribution_of(all_costs(neighbour, plan.task, grid, units), event_of(plan));
      largest = std::max(largest, largest_log_ratio(a, b));
    }
    EXPECT_LE(largest, 0.8 * (1 + 1e-9));
    EXPECT_GE(largest, 0.6 * 0.8) << "the calibration is loose";
  }
}

TEST(ExponentialBall, FitsHaveTheExactDistribution) {
  const Method& method = method_named("exponential");
  const auto table = tests::learnable_table(60, 1, {}, true, 9);
  Task task = ask(table, {}, 4, 6);
  task.problem.l2_penalty = 0.05;
  const Plan plan = method.plan(task, {{"grid_bits", "4"}});
  const WeightGrid grid{plan.task.problem.feasible_set, 2, 4};
  const auto distribution = distribution_of(all_costs(table, plan.task, grid, cost_units(plan.task)), event_of(plan));
  std::vector<dperm::testing::Cell> cells;
  for (const double p : distribution) cells.push_back({p, 0});
  const data::Dataset dataset = tests::dataset_of(table);
  random::SeededBits bits(4);
  for (int run = 0; run < 3000; ++run) {
    privacy::Curator curator(bits);
    const auto weights = fit(plan, dataset, curator, {{1}, {}}).weights.get();
    std::size_t index = 0, found = distribution.size();
    for_each_point(grid, [&](const Point& point) {
      if (grid.weights(point) == weights) found = index;
      ++index;
    });
    ASSERT_LT(found, distribution.size());
    ++cells[found].observed;
  }
  const auto verdict = dperm::testing::test_cells(cells);
  EXPECT_TRUE(verdict) << verdict.text;
}

TEST(ExponentialBall, PlansTheTextbookTemperatureOnAFineLattice) {
  // E excess <= 2 R d / (epsilon n) for the logistic loss.
  const auto table = tests::learnable_table(2000, 2, {}, true, 1);
  const Plan plan = method_named("exponential").plan(ask(table, {}, 1.5, 0.5), {});
  EXPECT_NEAR(plan.utility.excess_risk, 2 * 1.5 * 3 / (0.5 * 2000), 1e-5);
  EXPECT_GE(plan.utility.excess_risk, 2 * 1.5 * 3 / (0.5 * 2000));
  EXPECT_TRUE(plan.guarantee.pure);
  EXPECT_LE(plan.guarantee.epsilon, 0.5);
  EXPECT_GT(plan.guarantee.epsilon, 0.5 * (1 - 1e-9));
}

TEST(ExponentialBall, GammaQuantilesHaveKnownValues) {
  EXPECT_NEAR(boost::math::gamma_p_inv(1.0, 0.95), 2.99573227355, 1e-10);
  EXPECT_NEAR(boost::math::gamma_p_inv(5.0, 0.95), 9.15351902664, 1e-10);
  EXPECT_NEAR(boost::math::gamma_p_inv(10.0, 0.99), 18.7831173933, 1e-9);
  EXPECT_NEAR(boost::math::gamma_p_inv(100.0, 0.99), 124.722561491, 1e-8);
}

TEST(ExponentialBall, MeasuredRiskStaysUnderTheGammaDistribution) {
  const Method& method = method_named("exponential");
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::absolute}) {
    const bool classification = loss::is_classification(kind);
    const auto table = tests::learnable_table(400, 2, {}, classification, 12);
    const Task task = ask(table, {.kind = kind}, 2, 4);
    const Plan plan = method.plan(task, {});
    const data::Dataset dataset = tests::dataset_of(table);
    random::SeededBits bits(8);
    // The least risk seen stands for the least risk: it can only hide failures by as much as it is too large.
    double least = std::numeric_limits<double>::infinity(), sum = 0;
    std::vector<double> risks;
    for (int run = 0; run < 200; ++run) {
      privacy::Curator curator(bits);
      const auto weights = fit(plan, dataset, curator, {{1}, {}}).weights.get();
      EXPECT_LE(tests::norm_of(weights), 2 * (1 + 1e-12));
      risks.push_back(tests::plain_risk(table, plan.task.problem, weights));
      least = std::min(least, risks.back());
      sum += risks.back();
    }
    EXPECT_LE(sum / 200 - least, plan.utility.excess_risk);
    const double temperature = plan.utility.excess_risk / 3;
    for (const double confidence : {0.5, 0.9}) {
      const double quantile = temperature * boost::math::gamma_p_inv(3.0, confidence);
      std::uint64_t above = 0;
      for (const double risk : risks) above += risk - least > quantile;
      // Domination: the count is at most binomial(200, 1 - confidence) in distribution.
      const double chance = above == 0 ? 1
                                       : boost::math::ibeta(static_cast<double>(above),
                                                            201.0 - static_cast<double>(above), 1 - confidence);
      EXPECT_GT(chance, 1e-9) << above;
    }
  }
}

TEST(ExponentialBall, WeightsLieInBallAndBox) {
  const Method& method = method_named("exponential");
  const auto table = tests::learnable_table(50, 2, {}, true, 5);
  for (const auto kind : {loss::SetKind::ball, loss::SetKind::box}) {
    Task task = ask(table, {}, 0.7, 1);
    task.problem.feasible_set.kind = kind;
    const Plan plan = method.plan(task, {});
    random::SeededBits bits(42);
    privacy::Curator curator(bits);
    const auto result = fit(plan, tests::dataset_of(table), curator, {{1}, {}});
    EXPECT_EQ(result.events, plan.events);
    auto projected = result.weights.get();
    loss::project(task.problem.feasible_set, projected);
    for (std::size_t j = 0; j < projected.size(); ++j) EXPECT_NEAR(result.weights.get()[j], projected[j], 1e-12);
  }
}

TEST(ExponentialBall, SeededWeightsAreTheSameBitsForAnyThreadsAndTileHeight) {
  const Method& method = method_named("exponential");
  const auto table = tests::learnable_table(3000, 1, {2}, true, 3);
  const Plan plan = method.plan(ask(table, {}, 3, 1), {});
  const auto seeded = [&](std::size_t height, int threads) {
    random::SeededBits bits(42);
    privacy::Curator curator(bits);
    return fit(plan, tests::dataset_of(table, height), curator, {{threads}, {}}).weights.get();
  };
  const auto reference = seeded(0, 1);
  EXPECT_EQ(reference, seeded(0, 3));
  EXPECT_EQ(reference, seeded(64, 2));
  EXPECT_EQ(reference, seeded(4096, 1));
}

TEST(ExponentialBall, RefusesWhatItDoesNotCover) {
  const Method& method = method_named("exponential");
  const auto small = tests::learnable_table(50, 2, {}, true, 5);
  const auto large = tests::learnable_table(50, 4, {}, true, 5);
  EXPECT_THROW(method.plan(ask(large, {}, 1, 1), {{"regularised", "no"}}), ArgumentError);
  EXPECT_THROW(method.plan(ask(small, {}, 1, 1), {{"score", "rank"}}), ArgumentError) << "an option of another shape";
  EXPECT_THROW(method.plan(ask(small, {}, 1, 1), {{"grid_bits", "31"}}), ArgumentError);
  EXPECT_THROW(method.plan(ask(small, {}, 1, std::nan("")), {}), ArgumentError);
  EXPECT_THROW(method.plan(ask(small, {}, 1e80, 1), {}), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
