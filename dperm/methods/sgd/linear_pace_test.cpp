// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/sgd/linear_pace.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dperm/loss/losses/all.hpp"
#include "dperm/methods/sgd/optimiser.hpp"

namespace dperm::methods {
namespace {

constexpr auto kReplace = privacy::Neighbours::replace_one;

Task task_of(loss::LossKind kind, std::size_t rows, double epsilon, std::size_t weights = 150,
             std::size_t columns = 19) {
  Task task;
  task.problem.loss = {.kind = kind};
  task.facts = {.rows = rows, .dimension = weights, .columns = columns, .row_square = 14};
  task.budget = {epsilon, 1e-6};
  return task;
}

// A Gaussian budget of mu = 1 is epsilon 4.3766 at delta 1e-5 [BW18].
TEST(TableSignal, IsRowsTimesTheGaussianBudgetOverTheNormOfARow) {
  Task task = task_of(loss::LossKind::logistic, 1000, 4.3766);
  task.budget.delta = 1e-5;
  EXPECT_NEAR(table_signal(task, kReplace), 1000 / std::sqrt(14.0), 0.5);
  EXPECT_NEAR(table_signal(task, privacy::Neighbours::add_remove), 2000 / std::sqrt(14.0), 1);
  task.facts.row_square = 0;  // made without a schema
  EXPECT_NEAR(table_signal(task, kReplace), 1000 / std::sqrt(19.0), 0.5);
}

// Whatever the rows, no curvature is above smoothness * columns, and heavy ball steps settle below 2 (1 + momentum).
TEST(ClassSignal, OfKClassesEachHasOneRowInKToLearnFrom) {
  Task task = task_of(loss::LossKind::softmax, 1000, 1);
  for (const std::size_t classes : {0u, 2u, 6u}) {
    task.facts.classes = classes;
    EXPECT_DOUBLE_EQ(class_signal(task, kReplace), table_signal(task, kReplace) / (classes == 6 ? 3 : 1));
  }
}

TEST(LinearClip, OfSeveralClassesIsHalfARowUnlessRowsHaveManyColumns) {
  Task task = task_of(loss::LossKind::softmax, 1000, 1);
  EXPECT_DOUBLE_EQ(linear_clip(task, kReplace), std::sqrt(14.0) / 2);
  task.facts.row_square = 262;  // digits of 784 pixels
  EXPECT_EQ(linear_clip(task, kReplace), 3);
}

TEST(LinearRate, NeverDiverges) {
  for (const loss::LossKind kind : loss::kAllLosses) {
    for (const std::size_t rows : {10u, 1000u, 1000000u}) {
      for (const double epsilon : {0.01, 1.0, 50.0}) {
        const Task task = task_of(kind, rows, epsilon);
        const double smoothness = loss::constants(task.problem.loss, 1, 1).smoothness;
        for (const double steps : {1.0, 200.0, 10000.0}) {
          const LinearRate rate = linear_rate(task, kReplace, steps, 1e-9);
          const double steepest = rate.learning_rate * (std::isfinite(smoothness) ? smoothness : 1) * 19;
          EXPECT_LE(steepest, 0.9 * 2 * (1 + rate.momentum) * (1 + 1e-12)) << rows << " " << epsilon;
          EXPECT_GT(rate.learning_rate, 0);
        }
      }
    }
  }
}

// A weight of which no row says anything wanders with its noise to end_noise: 4000 of them tell a deviation to 1.2%.
TEST(LinearRate, BringsTheNoiseOfAFlatWeightWhereItShouldEnd) {
  constexpr std::size_t kWeights = 4000;
  const Task task = task_of(loss::LossKind::logistic, 30000, 0.5);
  const double whole_noise = 1e-3;
  const std::size_t steps = linear_steps(task, kReplace, whole_noise);
  const double step_noise = whole_noise * std::sqrt(static_cast<double>(steps));
  const LinearRate rate = linear_rate(task, kReplace, static_cast<double>(steps), step_noise);
  OptimiserSettings settings;
  settings.rule = UpdateRule::momentum;
  settings.momentum = rate.momentum;
  settings.learning_rate = rate.learning_rate;
  settings.steps = steps;
  Optimiser optimiser(settings, std::vector<double>(kWeights, 0.0));
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<std::int64_t> sum(kWeights);
  for (std::size_t t = 0; t < steps; ++t) {
    for (auto& each : sum) each = std::llround(1e9 * normal(random));
    optimiser.advance(sum, step_noise * 1e-9);
  }
  double square = 0;
  for (const double w : optimiser.result()) square += w * w / kWeights;
  // The last 1 / (1 - momentum) steps have not had their full effect yet.
  EXPECT_NEAR(std::sqrt(square) / end_noise(task, kReplace), 1, 0.1);
}

TEST(LinearSteps, AreMoreWhereThereIsMoreToLearnAndStayWithinLimits) {
  const auto steps = [](std::size_t rows) {
    const Task task = task_of(loss::LossKind::logistic, rows, 1);
    return linear_steps(task, kReplace, 10 / static_cast<double>(rows));
  };
  EXPECT_EQ(steps(1000), 200u);
  EXPECT_GT(steps(100000), 200u);
  EXPECT_EQ(steps(100000000), 1000u) << "however long they take: samples save time, fewer steps cost accuracy";
}

TEST(LinearBatch, IsAllRowsUntilASampleIsFaster) {
  const auto batch = [](std::size_t rows, double epsilon, std::size_t unit = 0) {
    Task task = task_of(loss::LossKind::logistic, rows, epsilon);
    task.facts.unit_rows = unit;
    return linear_batch(task, kReplace, 200);
  };
  EXPECT_EQ(batch(30000, 1), 30000);
  EXPECT_EQ(batch(399999, 1), 399999) << "a sample of 50,000 rows is more than an eighth";
  EXPECT_EQ(batch(400000, 1), 50000);
  EXPECT_EQ(batch(10'000'000, 1, 3), 10'000'000) << "several rows of a person";
  // Noise of 4 multipliers: mu of epsilon 1 at delta 1e-6 is 0.2367, all steps on all rows have 2 sqrt(200) / 0.2367
  // = 119.5, so the sample is 4 / 119.5 of the rows.
  EXPECT_NEAR(batch(10'000'000, 1), 334'700, 700);
  EXPECT_NEAR(batch(100'000'000, 1), 3'347'000, 7000);
  // Five times as many steps have noise sqrt(5) times as large, so a smaller sample is as good.
  const Task large = task_of(loss::LossKind::logistic, 100'000'000, 1);
  EXPECT_NEAR(linear_batch(large, kReplace, 1000), 3'347'000 / std::sqrt(5.0), 7000);
  // 50 * 150 * sqrt(rows) / 200 = 37.5 sqrt(rows) rows: more than the others for little privacy alone.
  EXPECT_EQ(batch(4'000'000, 1000), 4'000'000) << "hardly any noise: no multiplier to spare";
}

// The logistic loss with slopes of at most `limit`.
double limited(double margin, double limit) {
  const double bend = -std::log(limit / (1 - limit));
  return margin < bend ? std::log1p(std::exp(-bend)) + limit * (bend - margin) : std::log1p(std::exp(-margin));
}

// Log-odds N(mean, spread^2): by how much scores that are best for the limited loss are to be multiplied.
double best_factor(double limit, double mean, double spread) {
  double best = 1e300, factor = 0;
  for (double scale = 0.9; scale < 3; scale += 0.005) {
    double risk = 0;
    for (double z = -5; z <= 5; z += 0.1) {
      const double odds = mean + spread * z, positive = 1 / (1 + std::exp(-odds));
      risk += std::exp(-z * z / 2) *
              (positive * limited(scale * odds, limit) + (1 - positive) * limited(-scale * odds, limit));
    }
    if (risk < best) best = risk, factor = 1 / scale;
  }
  return factor;
}

// Of much data: what noise leaves, 0.94, times the factor that theory gives for quite different tables.
TEST(ScoreFactor, UndoesTheStretchOfClippingWhateverTheTable) {
  const Task task = task_of(loss::LossKind::logistic, 1000000000, 1);
  for (const double share : {0.5, 0.6, 0.7, 0.8, 0.9}) {
    const double factor = score_factor(task, kReplace, share * std::sqrt(14.0));
    for (const auto& [mean, spread] : {std::pair{-1.5, 1.6}, {0.0, 1.5}, {-2.2, 1.5}, {-1.3, 0.9}}) {
      EXPECT_NEAR(factor / 0.94, best_factor(share, mean, spread), 0.035) << share << " " << mean;
    }
  }
  EXPECT_EQ(score_factor(task_of(loss::LossKind::squared, 1000, 1), kReplace, 1), 1);
  EXPECT_EQ(score_factor(task_of(loss::LossKind::softmax, 1000, 1), kReplace, 1), 0.75) << "measured, see the page";
  EXPECT_EQ(score_factor(task_of(loss::LossKind::logistic, 100, 0.1), kReplace, 1), 1) << "stopped early";
}

}  // namespace
}  // namespace dperm::methods
