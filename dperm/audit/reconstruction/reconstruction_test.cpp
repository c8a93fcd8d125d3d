// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/reconstruction/reconstruction.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/methods/non_private/optimum.hpp"
#include "tests/support/datasets.hpp"

namespace dperm::audit {
namespace {

methods::Task task_for(const tests::EncodedTable& table, loss::LossKind kind) {
  methods::Task task;
  task.problem.loss.kind = kind;
  task.problem.l2_penalty = 1e-3;
  task.facts = tests::facts_of(table);
  task.budget = methods::kNoPrivacy;
  return task;
}

ReconstructionOptions options_for(const tests::EncodedTable& table, loss::LossKind kind) {
  methods::Task task = task_for(table, kind);
  task.problem.l2_penalty = 0;  // private methods choose their own
  return {.task = task,
          .method = methods::planners("objective-perturbation", {}).at(0),
          .epsilons = {1},
          .targets = 20,
          .candidates = 50,
          .threads = {1}};
}

TEST(OpenRow, IsTheRowThatWasWritten) {
  for (const bool binary : {true, false}) {
    const tests::EncodedTable table = tests::learnable_table(20, 3, {2, 4}, binary, 3);
    const auto sums = tests::shared_sums_of(table);
    methods::Problem problem;
    problem.loss.kind = binary ? loss::LossKind::logistic : loss::LossKind::squared;
    for (const std::size_t row : {0u, 7u, 19u}) {
      const OpenRow found = open_row(sums, problem, row);
      std::vector<double> expected = tests::encoded_row(table, row);
      for (double& each : expected) each *= std::sqrt(static_cast<double>(table.columns()));
      ASSERT_EQ(found.features.size(), expected.size());
      for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(found.features[j], expected[j], 1e-12);
      EXPECT_NEAR(found.target, tests::encoded_target(table, row, binary), 1e-12);
    }
  }
}

// The identity itself, at the minimum that descent in plain loops would find.
TEST(LastRow, FollowsFromTheMinimumAndTheOthers) {
  for (const auto kind : {loss::LossKind::logistic, loss::LossKind::squared, loss::LossKind::smoothed_hinge}) {
    const bool binary = loss::is_classification(kind);
    const tests::EncodedTable table = tests::learnable_table(300, 3, {4}, binary, 9);
    const auto sums = tests::shared_sums_of(table);
    const methods::Task task = task_for(table, kind);
    const std::vector<double> weights = methods::exact_optimum(sums, task, {1}).weights;
    std::size_t recovered = 0, silent = 0;
    for (std::size_t row = 0; row < 30; ++row) {
      const OpenRow truth = open_row(sums, task.problem, row);
      const auto gradient = missing_gradient(task, weights, gradient_of_others(sums, task, weights, row, {1}));
      // A row on the flat part of a loss leaves no trace in the minimum.
      const double slope = gradient[0] * std::sqrt(static_cast<double>(table.columns()));
      if (std::abs(slope) < 1e-3) {
        ++silent;
        continue;
      }
      const OpenRow found = row_with_gradient(task, weights, gradient);
      double worst = std::abs(found.target - truth.target);
      for (std::size_t j = 0; j < truth.features.size(); ++j) {
        worst = std::max(worst, std::abs(found.features[j] - truth.features[j]));
      }
      EXPECT_LE(worst, 1e-6) << loss::name(kind) << ' ' << row;
      ++recovered;
    }
    EXPECT_GE(recovered, kind == loss::LossKind::smoothed_hinge ? 3u : 25u) << silent;
  }
}

TEST(Reconstruction, SucceedsWithoutPrivacyAndFailsAtEpsilonOne) {
  const tests::EncodedTable table = tests::learnable_table(500, 4, {5, 3}, true, 2);
  const Reconstruction result = reconstruct(tests::dataset_of(table), options_for(table, loss::LossKind::logistic));
  ASSERT_EQ(result.levels.size(), 2u);
  const ReconstructionLevel& bare = result.levels[0];
  const ReconstructionLevel& noisy = result.levels[1];
  EXPECT_TRUE(std::isinf(bare.epsilon));
  EXPECT_LE(bare.typical_error, 1e-6);
  EXPECT_EQ(bare.rows_recovered, result.targets);
  EXPECT_EQ(bare.found, result.targets);
  EXPECT_EQ(noisy.epsilon, 1);
  EXPECT_GE(noisy.mean_error, result.prior_error);
  EXPECT_EQ(noisy.rows_recovered, 0u);
  // Chance is 1 of 50; e^1 times that for each of 20 targets has more than 6 with probability below 1e-5.
  EXPECT_LE(noisy.found, 6u);
  EXPECT_EQ(result.example_recovered.size(), 2u);
}

// With a budget that protects nobody the same attack comes close again: it is the noise that stops it.
TEST(Reconstruction, ComesCloserAsEpsilonGrows) {
  const tests::EncodedTable table = tests::learnable_table(500, 4, {}, true, 2);
  ReconstructionOptions options = options_for(table, loss::LossKind::logistic);
  options.epsilons = {900, 1};
  options.targets = 60;
  const Reconstruction result = reconstruct(tests::dataset_of(table), options);
  EXPECT_LT(result.levels[1].mean_error, result.levels[2].mean_error);
  // Chance is 1 of 50, at most e times that at epsilon 1: 8 of 60 by chance has probability below 1e-4.
  EXPECT_GE(result.levels[1].found, 8u);
  EXPECT_LE(result.levels[2].found, 8u);
}

TEST(Reconstruction, RefusesWhatTheMinimumDoesNotSay) {
  const tests::EncodedTable table = tests::learnable_table(50, 2, {}, true, 2);
  ReconstructionOptions options = options_for(table, loss::LossKind::hinge);
  EXPECT_THROW(reconstruct(tests::dataset_of(table), options), ArgumentError);
  options.task.problem.loss.kind = loss::LossKind::logistic;
  options.task.problem.hidden = {3};
  EXPECT_THROW(reconstruct(tests::dataset_of(table), options), ArgumentError);
}

}  // namespace
}  // namespace dperm::audit
