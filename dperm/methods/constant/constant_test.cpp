// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dperm/core/error.hpp"
#include "dperm/methods/constant/constant_counts.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/random/noise/laplace.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/goodness_of_fit.hpp"
#include "tests/support/softmax_reference.hpp"

namespace dperm::methods {
namespace {

using loss::LossKind;

Task asked(const tests::EncodedTable& table, LossKind kind, double epsilon, double delta = 0) {
  Task task;
  task.problem.loss.kind = kind;
  task.facts = tests::facts_of(table);
  task.budget = {epsilon, delta};
  return task;
}

std::vector<double> seeded(const Plan& plan, const tests::EncodedTable& table, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return fit(plan, tests::dataset_of(table), curator, {{1}, {}}).weights.get();
}

// Three feature columns, of which one has three levels, and `positive` of the rows in the class.
tests::EncodedTable binary_table(std::size_t rows, std::size_t positive) {
  tests::EncodedTable table = tests::random_table(rows, 2, {3}, true, 9);
  for (std::size_t i = 0; i < rows; ++i) table.targets[i] = i < positive ? 1 : -1;
  return table;
}

tests::EncodedTable without_columns(tests::EncodedTable table) {
  table.reals.clear(), table.levels.clear(), table.codes.clear();
  return table;
}

double risk(const tests::EncodedTable& table, const Problem& problem, const std::vector<double>& weights) {
  if (problem.loss.kind != LossKind::softmax) return tests::plain_risk(table, problem, weights);
  return tests::softmax_risk(table, table.classes, problem.l2_penalty, weights);
}

// All tables of four rows and all replacements of a record, by targets that no encoder makes too.
TEST(Constant, NoNeighbourMovesTheCountsByMoreThanTheirSensitivity) {
  const auto most_moved = [](const std::vector<std::int32_t>& targets, auto count) {
    std::int64_t l1 = 0, square = 0;
    const std::size_t values = targets.size();
    for (std::size_t code = 0; code < values * values * values * values; ++code) {
      tests::EncodedTable table{{}, {}, {}, {}};
      for (std::size_t i = 0, rest = code; i < 4; ++i, rest /= values) table.targets.push_back(targets[rest % values]);
      const auto here = count(tests::sums_of(table));
      for (const std::int32_t other : targets) {
        table.targets[0] = other;
        const auto there = count(tests::sums_of(table));
        std::int64_t moved = 0, moved_square = 0;
        for (std::size_t k = 0; k < here.size(); ++k) {
          moved += std::abs(here[k] - there[k]);
          moved_square += (here[k] - there[k]) * (here[k] - there[k]);
        }
        l1 = std::max(l1, moved), square = std::max(square, moved_square);
      }
    }
    return std::pair{static_cast<std::uint64_t>(l1), static_cast<double>(square)};
  };
  const auto binary =
      most_moved({-1, 1, 0, 12345, -7}, [](const engine::RowSums& sums) { return positive_rows(sums, {1}); });
  EXPECT_EQ(binary.first, count_sensitivity(true).l1);
  EXPECT_EQ(binary.second, std::pow(count_sensitivity(true).l2, 2));
  const auto several =
      most_moved({0, 1, 2, 3, -1}, [](const engine::RowSums& sums) { return class_rows(sums, 3, {1}); });
  EXPECT_EQ(several.first, count_sensitivity(false).l1);
  EXPECT_LE(several.second, std::pow(count_sensitivity(false).l2, 2));
  EXPECT_NEAR(several.second, std::pow(count_sensitivity(false).l2, 2), 1e-9);
}

TEST(Constant, CountsAreTheRowsOfEveryClass) {
  EXPECT_EQ(positive_rows(tests::sums_of(binary_table(500, 123)), {2}), std::vector<std::int64_t>{123});
  const tests::EncodedTable table = tests::class_table(400, 1, {}, 5, 3);
  std::vector<std::int64_t> expected(5, 0);
  for (const std::int32_t target : table.targets) ++expected[static_cast<std::size_t>(target)];
  EXPECT_EQ(class_rows(tests::sums_of(table), 5, {2}), expected);
}

// The base rate is the count plus discrete Laplace noise of scale 1: probabilities (1 - a) / (1 + a) a^|z|, a = 1/e.
TEST(Constant, CountsHaveTheDistributionOfTheirPlan) {
  constexpr int kRows = 40, kPositive = 15;
  const tests::EncodedTable table = binary_table(kRows, kPositive);
  const Plan plan = plan_for(asked(table, LossKind::logistic, 1), ConstantOptions{});
  std::vector<testing::Cell> cells(kRows + 1, {0, 0});
  const double a = std::exp(-1.0);
  for (int z = -200; z <= 200; ++z) {
    // sqrt(2) rows is the least that is believed.
    const double count = std::clamp(static_cast<double>(kPositive + z), std::sqrt(2.0), kRows - std::sqrt(2.0));
    cells[static_cast<std::size_t>(count)].probability += (1 - a) / (1 + a) * std::pow(a, std::abs(z));
  }
  const double unit = std::sqrt(static_cast<double>(table.columns()));
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const std::vector<double> weights = seeded(plan, table, seed);
    ASSERT_EQ(std::count(weights.begin() + 1, weights.end(), 0.0), table.dimension() - 1);
    const double share = 1 / (1 + std::exp(-weights[0] / unit));
    ++cells[static_cast<std::size_t>(share * kRows + 1e-6)].observed;
  }
  const testing::Verdict verdict = testing::test_cells(cells);
  EXPECT_TRUE(verdict) << verdict.text;
}

TEST(Constant, ClassSharesAreTheNoisyCountsOfTheSampler) {
  const tests::EncodedTable table = tests::class_table(300, 2, {3}, 3, 4);
  const Plan plan = plan_for(asked(table, LossKind::softmax, 0.5), ConstantOptions{});
  EXPECT_EQ(plan.events.at(0).mechanism, privacy::Mechanism(privacy::DiscreteLaplaceEvent{2, 4, 1}));
  random::SeededBits twin(8);
  std::vector<double> logarithms;
  for (const std::int64_t count : class_rows(tests::sums_of(table), 3, {1})) {
    logarithms.push_back(std::log(static_cast<double>(count + random::discrete_laplace(twin, 4, 1))));
  }
  const double mean = (logarithms[0] + logarithms[1] + logarithms[2]) / 3;
  const std::vector<double> weights = seeded(plan, table, 8);
  ASSERT_EQ(weights.size(), 3 * table.dimension());
  for (std::size_t k = 0; k < 3; ++k) {
    const double unit = std::sqrt(static_cast<double>(table.columns()));
    EXPECT_NEAR(weights[k * table.dimension()] / unit, logarithms[k] - mean, 1e-12);
    for (std::size_t j = 1; j < table.dimension(); ++j) EXPECT_EQ(weights[k * table.dimension() + j], 0);
  }
}

TEST(Constant, ARealTargetIsTheLocationOfTheTargetsAlone) {
  const tests::EncodedTable table = tests::learnable_table(300, 2, {3}, false, 6);
  const tests::EncodedTable alone = without_columns(table);
  const double unit = std::sqrt(static_cast<double>(table.columns()));
  for (const LossKind kind : {LossKind::squared, LossKind::absolute, LossKind::pinball}) {
    Task task = asked(table, kind, 1), target = asked(alone, kind, 1);
    task.problem.loss.quantile = target.problem.loss.quantile = 0.8;
    const Plan plan = plan_for(task, ConstantOptions{});
    const Plan location = plan_for(target, ExponentialLocationOptions{});
    EXPECT_EQ(plan.events, location.events);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::vector<double> weights = seeded(plan, table, seed);
      EXPECT_NEAR(weights[0] / unit, seeded(location, alone, seed)[0], 1e-15);
      EXPECT_EQ(std::count(weights.begin() + 1, weights.end(), 0.0), table.dimension() - 1);
    }
  }
}

// Nearly without noise: no other intercept has less penalised risk in the set.
TEST(Constant, PenaltyAndSetAreHonoured) {
  const std::vector<std::pair<LossKind, tests::EncodedTable>> tables{
      {LossKind::logistic, binary_table(200, 150)},
      {LossKind::hinge, binary_table(200, 150)},
      {LossKind::smoothed_hinge, binary_table(200, 40)},
      {LossKind::squared, tests::learnable_table(200, 2, {3}, false, 7)},
      {LossKind::absolute, tests::learnable_table(200, 2, {3}, false, 7)}};
  for (const auto& [kind, table] : tables) {
    for (const double penalty : {0.0, 0.05}) {
      if (penalty > 0 && kind == LossKind::absolute) continue;
      for (const loss::FeasibleSet set : {loss::FeasibleSet{}, {loss::SetKind::ball, 0.3}, {loss::SetKind::box, 0.3}}) {
        Task task = asked(table, kind, 1000);
        task.problem.l2_penalty = penalty;
        task.problem.feasible_set = set;
        std::vector<double> weights = seeded(plan_for(task, ConstantOptions{}), table, 1);
        const double found = risk(table, task.problem, weights);
        const double limit = set.kind == loss::SetKind::unconstrained ? 5 : set.radius;
        EXPECT_LE(std::abs(weights[0]), limit);
        for (int i = -500; i <= 500; ++i) {
          weights[0] = i / 500.0 * limit;
          EXPECT_LE(found, risk(table, task.problem, weights) + 1e-4) << loss::name(kind) << " " << weights[0];
        }
      }
    }
  }
}

TEST(Constant, HuberOfAWideThresholdIsHalfTheSquaredLoss) {
  const tests::EncodedTable table = tests::learnable_table(200, 1, {}, false, 8);
  for (const double penalty : {0.0, 0.4}) {
    Task huber = asked(table, LossKind::huber, 1), squared = asked(table, LossKind::squared, 1);
    huber.problem.loss.threshold = 2;
    huber.problem.l2_penalty = penalty;
    squared.problem.l2_penalty = 2 * penalty;
    EXPECT_EQ(seeded(plan_for(huber, ConstantOptions{}), table, 3),
              seeded(plan_for(squared, ConstantOptions{}), table, 3));
  }
  const tests::EncodedTable alone = without_columns(table);
  Task huber = asked(alone, LossKind::huber, 1), squared = asked(alone, LossKind::squared, 1);
  huber.problem.loss.threshold = 2;
  EXPECT_EQ(2 * plan_for(huber, ConstantOptions{}).utility.excess_risk,
            plan_for(squared, ConstantOptions{}).utility.excess_risk);
}

// Without features the promise is about all weights; few and many positive rows, more noise than rows among them.
TEST(Constant, ExcessRiskIsBelowThePromise) {
  for (const LossKind kind : {LossKind::logistic, LossKind::hinge, LossKind::softmax}) {
    for (const double epsilon : {0.02, 0.3, 3.0}) {
      for (const std::size_t few : {0u, 3u, 40u}) {
        tests::EncodedTable table = without_columns(binary_table(100, few));
        if (kind == LossKind::softmax) {
          table.classes = 3;
          for (std::int32_t& target : table.targets) target = target > 0 ? 2 : 0;
        }
        const Task task = asked(table, kind, epsilon);
        const Plan plan = plan_for(task, ConstantOptions{});
        const double share = static_cast<double>(few) / 100;
        const double entropy = few == 0 ? 0 : -share * std::log(share) - (1 - share) * std::log(1 - share);
        const double best = kind == LossKind::hinge ? 2 * std::min(share, 1 - share) : entropy;
        constexpr int kRuns = 300;
        double mean = 0;
        for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
          mean += (risk(table, task.problem, seeded(plan, table, seed)) - best) / kRuns;
        }
        EXPECT_GE(mean, 0);
        EXPECT_LE(mean, plan.utility.excess_risk) << loss::name(kind) << ", epsilon " << epsilon << ", " << few;
      }
    }
  }
}

TEST(Constant, NothingIsPromisedOverWhatFeaturesAreWorth) {
  const Plan plan = plan_for(asked(binary_table(1000, 300), LossKind::logistic, 1), ConstantOptions{});
  EXPECT_TRUE(std::isinf(plan.utility.excess_risk));
  // 4 sqrt(2) / 1000
  EXPECT_NE(plan.utility.theorem.find("exceeds the best constant's by at most 0.00566"), std::string::npos)
      << plan.utility.theorem;
  EXPECT_FALSE(plan.error_model);
  Task smoothed = asked(without_columns(binary_table(1000, 300)), LossKind::smoothed_hinge, 1);
  EXPECT_TRUE(std::isinf(plan_for(smoothed, ConstantOptions{}).utility.excess_risk)) << "no number is proved";
}

TEST(Constant, TakesTheSmallerNoiseOrTheOneAskedFor) {
  const tests::EncodedTable table = binary_table(100, 30);
  const auto mechanism = [&](double delta, ConstantOptions options) {
    return plan_for(asked(table, LossKind::logistic, 1, delta), options).events.at(0).mechanism;
  };
  EXPECT_EQ(mechanism(1e-6, {}), privacy::Mechanism(privacy::DiscreteLaplaceEvent{1, 1, 1}));
  EXPECT_TRUE(std::holds_alternative<privacy::GaussianEvent>(mechanism(1e-6, {.noise = TermNoise::gaussian})));
  EXPECT_TRUE(std::holds_alternative<privacy::GaussianEvent>(mechanism(0.3, {})));
  EXPECT_TRUE(std::holds_alternative<privacy::DiscreteLaplaceEvent>(mechanism(0.3, {.noise = TermNoise::pure})));
  const tests::EncodedTable real = tests::learnable_table(100, 1, {}, false, 1);
  EXPECT_TRUE(std::holds_alternative<privacy::GaussianEvent>(
      plan_for(asked(real, LossKind::squared, 1, 1e-6), ConstantOptions{.noise = TermNoise::gaussian})
          .events.at(0)
          .mechanism));
}

TEST(Constant, RefusesRulesNetworksAndWhatItCannotFind) {
  const auto refuses = [](const Task& task, const ConstantOptions& options, const std::string& part) {
    try {
      plan_for(task, options);
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      return;
    }
    ADD_FAILURE() << "not refused: " << part;
  };
  const tests::EncodedTable binary = binary_table(100, 30), real = tests::learnable_table(100, 1, {}, false, 1);
  Task rules = asked(binary, LossKind::zero_one, 1);
  rules.problem.rules = "stumps";
  rules.facts.rules = 10;
  refuses(rules, {}, "rules; use exponential");
  Task network = asked(binary, LossKind::logistic, 1);
  network.problem.hidden = {3};
  refuses(network, {}, "hidden layers; use sgd");
  refuses(asked(real, LossKind::huber, 1), {}, "use `loss = absolute`");
  Task penalised = asked(real, LossKind::pinball, 1);
  penalised.problem.l2_penalty = 0.1;
  refuses(penalised, {}, "no l2_penalty");
  refuses(asked(real, LossKind::absolute, 1, 1e-6), {.noise = TermNoise::gaussian}, "leave `noise` out");
  refuses(asked(binary, LossKind::logistic, 1), {.noise = TermNoise::gaussian}, "needs `delta` above 0");
  Task one_class = asked(binary, LossKind::logistic, 1);
  one_class.problem.loss.positive = 1;
  refuses(one_class, {}, "against the rest");
  Task many = asked(binary, LossKind::logistic, 1);
  many.facts.rows = (std::size_t{1} << 31) + 1;
  refuses(many, {}, "2^31 rows");
}

}  // namespace
}  // namespace dperm::methods
