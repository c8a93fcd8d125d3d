// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/shared/normal_equations.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

Task task_for(const tests::EncodedTable& table, double epsilon) {
  Task task;
  task.problem.loss.kind = loss::LossKind::squared;
  task.facts = tests::facts_of(table);
  task.budget = {epsilon, 1e-6};
  return task;
}

std::vector<double> fit(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits);
  return fit(plan, dataset, curator, {}).weights.get();
}

const privacy::GaussianEvent& gaussian(const Plan& plan, std::size_t k) {
  return std::get<privacy::GaussianEvent>(plan.events.at(k).mechanism);
}

TEST(NormalEquations, EigenvaluesAreWithinTheirError) {
  // The second-difference matrix has eigenvalues 2 - 2 cos(k pi / (d + 1)).
  for (const std::size_t d : {1u, 2u, 17u, 100u}) {
    SymmetricMatrix matrix{d, {}};
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = a; b < d; ++b) matrix.upper.push_back(a == b ? 2 : b == a + 1 ? -1 : 0);
    }
    const double exact = 2 - 2 * std::cos(M_PI / static_cast<double>(d + 1));
    EXPECT_NEAR(smallest_eigenvalue(matrix), exact, eigenvalue_error(d, 4) + 1e-15);
  }
}

TEST(NormalEquations, SingularZeroAndIndefiniteMatricesHaveASmallestEigenvalueToo) {
  for (const std::size_t d : {2u, 5u, 60u}) {
    const std::vector<double> ones(d * (d + 1) / 2, 1.0), zeros(d * (d + 1) / 2, 0.0);
    EXPECT_NEAR(smallest_eigenvalue({d, ones}), 0, eigenvalue_error(d, static_cast<double>(d)));
    EXPECT_EQ(smallest_eigenvalue({d, zeros}), 0);
  }
  EXPECT_NEAR(smallest_eigenvalue({2, {1, 2, 1}}), -1, 1e-14);
  EXPECT_NEAR(smallest_eigenvalue({3, {1e8, 1e8, 0, 1e8, 0, 3}}), 0, eigenvalue_error(3, 2e8));
}

// 400 fits of one table: their spread around their mean is the standard error that each tells, within 15% (the spread
// of 400 has a standard error of 3.5%, and the error told is of first order).
TEST(SufficientStatistics, TellsTheStandardErrorOfItsNoise) {
  const tests::EncodedTable table = tests::learnable_table(60'000, 3, {}, false, 5);
  const Task task = task_for(table, 2);
  const Plan plan = method_named("sufficient-statistics").plan(task, {});
  const data::Dataset dataset = tests::dataset_of(table);
  constexpr int kFits = 400;
  std::vector<double> mean(4), square(4), told(4);
  for (int i = 0; i < kFits; ++i) {
    random::SeededBits bits(static_cast<std::uint64_t>(i));
    privacy::Curator curator(bits);
    const FitResult result = methods::fit(plan, dataset, curator, {});
    ASSERT_EQ(result.weight_noise.size(), 4u);
    for (std::size_t j = 0; j < 4; ++j) {
      mean[j] += result.weights.get()[j] / kFits;
      square[j] += result.weights.get()[j] * result.weights.get()[j] / kFits;
      told[j] += result.weight_noise[j] / kFits;
    }
  }
  for (std::size_t j = 0; j < 4; ++j) {
    const double spread = std::sqrt(square[j] - mean[j] * mean[j]);
    EXPECT_NEAR(told[j] / spread, 1, 0.15) << j;
  }
}

TEST(NormalEquations, SolvesARidgeSystem) {
  const SymmetricMatrix matrix{2, {2, 1, 3}};
  const std::vector<double> right = {1, 2};
  const auto w = solve_ridge(matrix, 1, 0.1, right);
  EXPECT_NEAR(3 * w[0] + 1 * w[1], 1, 1e-12);
  EXPECT_NEAR(1 * w[0] + 4 * w[1], 2, 1e-12);
}

// Joint noise as computed independently: epsilon 1, delta 1e-6, ten percent of mu^2 for the eigenvalue give a noise of
// 9.44666917964 on a diagonal entry and 13.3596076731 on the eigenvalue, up to the lattice's rounding.
TEST(SufficientStatistics, NoiseIsTheJointCalibration) {
  const auto table = tests::random_table(100, 3, {}, false, 1);
  const Plan plan = method_named("sufficient-statistics").plan(task_for(table, 1), {{"row_norm", "1.5"}});
  const double unit = 32767.0 * 32767.0 * 1.5 * 1.5;
  EXPECT_NEAR(gaussian(plan, 1).sigma / unit, 9.44666917964, 1e-6);
  const Plan one = method_named("sufficient-statistics")
                       .plan(task_for(table, 1), {{"row_norm", "1.5"}, {"neighbours", "add-remove"}});
  EXPECT_NEAR(gaussian(one, 1).sigma / unit, 9.44666917964 * 2 / 3, 1e-6);  // sqrt(2) for sqrt(9/2)
  EXPECT_EQ(one.guarantee.neighbours, privacy::Neighbours::add_remove);
  EXPECT_NEAR(gaussian(plan, 0).sigma * 0x1p-20, 13.3596076731, 1e-4);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GT(plan.guarantee.epsilon, 0.99999);
}

// The query of one row with the given row norm, written out in plain double.
std::vector<double> row_query(const tests::EncodedTable& row, double row_norm) {
  const auto limit = static_cast<std::int64_t>(row_norm * row_norm * 32767 * 32767);
  const auto gram = engine::gram_sums(tests::build_tiles(row), {1}, limit);
  std::vector<double> query;
  std::size_t next = 0;
  for (std::size_t a = 0; a < row.dimension(); ++a) {
    for (std::size_t b = a; b < row.dimension(); ++b) {
      query.push_back(static_cast<double>(gram.upper_triangle[next++]) * (a == b ? 1 : std::sqrt(2.0)));
    }
  }
  for (const auto product : gram.target_products) query.push_back(static_cast<double>(product) * row_norm);
  return query;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

// Neighbouring tables are never further apart than planned, and close to it for the worst pair (replace one: cosine
// 1/2, opposite targets; add or remove: a long row with a full target), whether rows are shortened (1.5) or not (2).
TEST(SufficientStatistics, BruteForceNeighboursNeverExceedTheSensitivity) {
  std::vector<tests::EncodedTable> rows;
  for (int a = -32767; a <= 32767; a += 16383) {
    for (int b = -32767; b <= 32767; b += 16383) {
      for (const std::uint32_t code : {0u, 1u, 2u}) {
        for (const std::int32_t target : {1 << 30, -(1 << 30), 12345}) {
          rows.push_back({{{static_cast<std::int16_t>(a)}, {static_cast<std::int16_t>(b)}}, {2}, {{code}}, {target}});
        }
      }
    }
  }
  ASSERT_EQ(rows[0].columns(), 4u);
  for (const double row_norm : {1.5, 2.0}) {
    const std::string norm = std::to_string(row_norm);
    const auto planned = [&](const char* neighbours) {
      return gaussian(method_named("sufficient-statistics")
                          .plan(task_for(rows[0], 1), {{"row_norm", norm}, {"neighbours", neighbours}}),
                      1)
          .l2_sensitivity;
    };
    std::vector<std::vector<double>> queries;
    for (const auto& row : rows) queries.push_back(row_query(row, row_norm));
    double replaced = 0, removed = 0;
    for (const auto& a : queries) {
      removed = std::max(removed, distance(a, std::vector<double>(a.size(), 0)));
      for (const auto& b : queries) replaced = std::max(replaced, distance(a, b));
    }
    EXPECT_LE(replaced, planned("replace-one"));
    EXPECT_LE(removed, planned("add-remove"));
    EXPECT_GT(replaced, 0.9 * planned("replace-one")) << "the attack is too weak to test anything";
    EXPECT_GT(removed, 0.9 * planned("add-remove")) << "the attack is too weak to test anything";
  }
}

TEST(SufficientStatistics, WithHardlyAnyNoiseItIsLeastSquares) {
  const auto table = tests::learnable_table(20000, 3, {}, false, 5);
  Task task = task_for(table, 900);
  Problem compared = task.problem;
  compared.feasible_set = {loss::SetKind::ball, 10};
  const auto best = tests::minimum(table, compared);
  // Shortened rows count less, which moves the minimum of a table that is not exactly linear by very little.
  for (const char* row_norm : {"2", "auto", "1"}) {
    for (const char* ridge : {"adaptive", "certified"}) {
      const Plan plan = method_named("sufficient-statistics").plan(task, {{"ridge", ridge}, {"row_norm", row_norm}});
      const auto weights = fit(plan, tests::dataset_of(table), 1);
      EXPECT_NEAR(tests::plain_risk(table, task.problem, weights), tests::plain_risk(table, task.problem, best), 1e-4);
    }
  }
}

TEST(SufficientStatistics, LongRowsAreShortenedWhereAllColumnsAreRealUnlessTheBoundIsWanted) {
  const auto norm = [](const tests::EncodedTable& table, const char* ridge) {
    return method_named("sufficient-statistics").plan(task_for(table, 1), {{"ridge", ridge}}).derivation.at(0).value;
  };
  const auto reals = tests::random_table(100, 5, {}, false, 1);
  EXPECT_NEAR(norm(reals, "adaptive"), std::sqrt(3.0), 1e-8);
  EXPECT_NEAR(norm(reals, "certified"), std::sqrt(6.0), 1e-8);
  EXPECT_NEAR(norm(tests::random_table(100, 5, {3}, false, 1), "adaptive"), std::sqrt(7.0), 1e-8);
}

TEST(SufficientStatistics, PromisesOnlyWithTheRidgeOfItsTheoremAndSaysWhatRowsItIsAbout) {
  const Task task = task_for(tests::random_table(100, 5, {}, false, 1), 1);
  const auto utility = [&](const std::map<std::string, std::string>& options) {
    return method_named("sufficient-statistics").plan(task, options).utility;
  };
  EXPECT_TRUE(std::isinf(utility({}).excess_risk));
  EXPECT_NE(utility({}).theorem.find("`ridge = certified`"), std::string::npos);
  EXPECT_TRUE(std::isfinite(utility({{"ridge", "certified"}}).excess_risk));
  EXPECT_EQ(holds_text(utility({{"ridge", "certified"}})), "with probability 0.85");
  EXPECT_EQ(holds_text(utility({{"ridge", "certified"}, {"row_norm", "1.5"}})),
            "with probability 0.85, if no row is longer than `row_norm = 1.5`");
}

TEST(SufficientStatistics, MeasuredExcessRiskIsBelowTheBound) {
  const auto table = tests::learnable_table(4000, 3, {3}, false, 9);
  const Task task = task_for(table, 1);
  const Plan plan = method_named("sufficient-statistics").plan(task, {{"ridge", "certified"}});
  Problem compared = task.problem;
  compared.feasible_set = {loss::SetKind::ball, default_radius(task.problem, task.facts)};
  const double best = tests::plain_risk(table, compared, tests::minimum(table, compared));
  const data::Dataset dataset = tests::dataset_of(table);
  int above = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    if (tests::plain_risk(table, task.problem, fit(plan, dataset, seed)) - best > plan.utility.excess_risk) ++above;
  }
  // The bound may fail with probability 0.15 a run; Binomial(40, 0.15) exceeds 21 with probability below 1e-9.
  EXPECT_LE(above, 21);
}

TEST(SufficientStatistics, RefusesWhatItCannotDo) {
  const auto table = tests::random_table(100, 1, {2}, true, 2);
  Task task = task_for(table, 1);
  task.problem.loss.kind = loss::LossKind::logistic;
  EXPECT_THROW(method_named("sufficient-statistics").plan(task, {}), ArgumentError);
  task = task_for(table, 1);
  task.budget.delta = 0;
  EXPECT_THROW(method_named("sufficient-statistics").plan(task, {}), ArgumentError);
  task = task_for(table, 1);
  task.problem.feasible_set = {loss::SetKind::ball, 1};
  EXPECT_THROW(method_named("sufficient-statistics").plan(task, {}), ArgumentError);
  task = task_for(table, 1);
  task.facts.dimension = 5000;
  EXPECT_THROW(method_named("sufficient-statistics").plan(task, {}), ArgumentError);
  task = task_for(table, 1);
  task.facts.rows = std::size_t{1} << 45;
  EXPECT_THROW(method_named("sufficient-statistics").plan(task, {}), ArgumentError);
  EXPECT_THROW(method_named("sufficient-statistics").plan(task_for(table, 1), {{"row_norm", "0.5"}}), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
