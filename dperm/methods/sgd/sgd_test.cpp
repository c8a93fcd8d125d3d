// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "dperm/core/error.hpp"
#include "dperm/engine/network/clipped_sum.hpp"
#include "dperm/engine/network/predict.hpp"
#include "dperm/methods/evaluation/prediction.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/sgd/sgd_settings.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"

namespace dperm::methods {
namespace {

using Options = std::map<std::string, std::string>;

// Classes decided by the signs of two columns: no linear rule gets the diagonal ones right.
tests::EncodedTable checkerboard(std::size_t rows, std::uint64_t seed, bool binary) {
  auto table = tests::random_table(rows, 2, {}, true, seed);
  if (!binary) table.classes = 3;
  for (std::size_t row = 0; row < rows; ++row) {
    const bool right = table.reals[0][row] > 0, up = table.reals[1][row] > 0;
    table.targets[row] = binary ? (right == up ? 1 : -1) : (right ? 1 : 0) + (up ? 1 : 0);
  }
  return table;
}

Task task_for(const tests::EncodedTable& table, loss::LossKind kind, std::vector<std::size_t> hidden = {}) {
  Task task;
  task.problem.loss.kind = kind;
  task.problem.hidden = std::move(hidden);
  task.facts = tests::facts_of(table);
  if (kind == loss::LossKind::softmax) task.facts.classes = 3;
  task.budget = {1, 1e-6};
  return task;
}

std::vector<double> fit(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed, int threads = 1) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits, plan.guarantee.neighbours);
  return fit(plan, dataset, curator, {{threads}, {}}).weights.get();
}

double accuracy(const tests::EncodedTable& table, const Task& task, const std::vector<double>& weights) {
  const auto errors = error_count(tests::sums_of(table), tests::encoding_for(table), {task, weights}, {1});
  return 1 - static_cast<double>(errors) / static_cast<double>(table.rows());
}

TEST(Sgd, NoiseFollowsFromTheAccountantsReference) {
  // rate 0.01, 1000 steps, delta 1e-5: epsilon 1.828238 (add-remove) or 2.843446 (replace-one) at multiplier 1.
  const auto table = tests::random_table(1000, 2, {3}, true, 1);
  Task task = task_for(table, loss::LossKind::logistic);
  for (const bool replace : {true, false}) {
    task.budget = {replace ? 2.843446 : 1.828238, 1e-5};
    const Plan plan = method_named("sgd").plan(
        task, {{"batch", "10"}, {"steps", "1000"}, {"neighbours", replace ? "replace-one" : "add-remove"}});
    const auto& event = std::get<privacy::SampledGaussianEvent>(plan.events.at(0).mechanism);
    EXPECT_EQ(plan.events.at(0).repetitions, 1000);
    EXPECT_NEAR(event.sigma / event.contribution, 1, 2e-3);
    EXPECT_EQ(event.contribution, network::kPresenceSensitivity);
    EXPECT_DOUBLE_EQ(event.rate, 0.01);
  }
}

// Brute force over records: whatever the batch, a record moves the sum by no more than was accounted for.
TEST(Sgd, OneRecordMovesTheSumOfAnyBatchByAtMostItsContribution) {
  const auto table = tests::random_table(40, 2, {3}, true, 2);
  const auto strangers = tests::random_table(40, 2, {3}, true, 3);
  for (const auto& hidden : {std::vector<std::size_t>{}, std::vector<std::size_t>{5, 4}}) {
    const Task task = task_for(table, loss::LossKind::logistic, hidden);
    const SgdSettings s = sgd_settings(task, options_from<SgdOptions>({{"clip", "0.2"}}));
    std::vector<double> weights = initial_weights(s.shape, 4, 7);
    for (double& each : weights) each += 0.3;
    const network::ClippedQuery query{s.shape, task.problem.loss, weights, s.clip};
    std::vector<std::size_t> batch(40);
    std::iota(batch.begin(), batch.end(), 0);
    const network::RowTable rows(tests::build_tiles(table), {1});
    const auto all = network::clipped_gradient_sum(rows, batch, query, {1});
    double longest = 0;
    for (std::size_t changed = 0; changed < 40; ++changed) {
      auto other = table;
      for (std::size_t c = 0; c < 2; ++c) other.reals[c][changed] = strangers.reals[c][changed];
      other.codes[0][changed] = strangers.codes[0][changed];
      other.targets[changed] = strangers.targets[changed];
      auto without = batch;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(changed));
      const auto replaced =
          network::clipped_gradient_sum(network::RowTable(tests::build_tiles(other), {1}), batch, query, {1});
      const auto removed = network::clipped_gradient_sum(rows, without, query, {1});
      double replace_square = 0, remove_square = 0;
      for (std::size_t j = 0; j < all.size(); ++j) {
        replace_square += std::pow(static_cast<double>(all[j] - replaced[j]), 2);
        remove_square += std::pow(static_cast<double>(all[j] - removed[j]), 2);
      }
      EXPECT_LE(std::sqrt(replace_square), network::kReplaceSensitivity);
      EXPECT_LE(std::sqrt(remove_square), network::kPresenceSensitivity);
      longest = std::max(longest, std::sqrt(remove_square));
    }
    EXPECT_GT(longest, 0.99 * network::kPresenceSensitivity) << "a clip of 0.2 shortens gradients here";
  }
}

// With so large an epsilon that noise vanishes, all rows in every step and a clip nobody reaches.
TEST(Sgd, WithHardlyAnyNoiseItIsPlainRiskMinimisation) {
  const auto table = tests::learnable_table(500, 2, {3}, true, 4);
  for (const double penalty : {0.0, 0.05}) {
    Task task = task_for(table, loss::LossKind::logistic);
    task.problem.feasible_set = {loss::SetKind::ball, 4};
    task.problem.l2_penalty = penalty;
    task.budget.epsilon = 1000;
    const Plan plan = method_named("sgd").plan(task, {{"steps", "500"},
                                                      {"batch", "500"},
                                                      {"clip", "3"},
                                                      {"optimiser", "plain"},
                                                      {"learning_rate", "1"},
                                                      {"average_fraction", "0.1"}});
    const auto weights = fit(plan, tests::dataset_of(table), 1);
    const auto best = tests::minimum(table, task.problem);
    EXPECT_NEAR(tests::plain_risk(table, task.problem, weights), tests::plain_risk(table, task.problem, best), 2e-4);
  }
}

TEST(Sgd, NetworksLearnWhatNoLinearModelCan) {
  const auto table = checkerboard(3000, 5, true);
  for (const auto activation : {network::Activation::relu, network::Activation::tanh}) {
    Task task = task_for(table, loss::LossKind::logistic, {16});
    task.problem.activation = activation;
    task.budget.epsilon = 30;
    const Options options{{"learning_rate", "0.02"}, {"steps", "500"}, {"batch", "600"}};
    const Plan plan = method_named("sgd").plan(task, options);
    const auto weights = fit(plan, tests::dataset_of(table), 2);
    EXPECT_EQ(weights.size(), weight_count(task));
    EXPECT_GT(accuracy(table, task, weights), 0.93);  // a linear model: about one half
    EXPECT_TRUE(std::isinf(plan.utility.excess_risk)) << "no theorem of ours covers networks";
  }
  const Task linear = task_for(table, loss::LossKind::logistic);
  EXPECT_LT(accuracy(table, linear, fit(method_named("sgd").plan(linear, {}), tests::dataset_of(table), 2)), 0.7);
}

TEST(Sgd, EveryOptimiserAndSamplerLearnsClasses) {
  const auto table = checkerboard(3000, 6, false);
  for (const char* optimiser : {"plain", "momentum", "adam"}) {
    for (const char* sampling : {"poisson", "fixed-size"}) {
      Task task = task_for(table, loss::LossKind::softmax);
      task.budget.epsilon = 20;
      const Plan plan = method_named("sgd").plan(task, {{"optimiser", optimiser},
                                                        {"sampling", sampling},
                                                        {"steps", "200"},
                                                        {"batch", "1000"},
                                                        {"average_fraction", "0.5"}});
      const auto weights = fit(plan, tests::dataset_of(table), 2);
      EXPECT_GT(accuracy(table, task, weights), 0.7) << optimiser << ", " << sampling;
    }
  }
}

TEST(Sgd, RealTargetsAreFollowedByANetwork) {
  auto table = tests::random_table(3000, 1, {}, false, 8);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double u = table.reals[0][row] / 32767.0;
    table.targets[row] = static_cast<std::int32_t>((std::abs(u) - 0.5) * (1 << 30));
  }
  Task task = task_for(table, loss::LossKind::squared, {12});
  task.budget.epsilon = 30;
  const Plan plan = method_named("sgd").plan(task, {{"learning_rate", "0.01"}, {"steps", "400"}, {"batch", "600"}});
  const auto weights = fit(plan, tests::dataset_of(table), 3);
  const auto scores = outputs(tests::sums_of(table), tests::encoding_for(table), {task, weights}, {1});
  double error = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    error += std::abs(scores[row] - table.targets[row] / double{1 << 30}) / static_cast<double>(table.rows());
  }
  EXPECT_LT(error, 0.08) << "a constant is off by 0.25 on average";
}

TEST(Sgd, WeightsOfLinearModelsAreTheNetworksInEncodedUnits) {
  const auto table = tests::random_table(50, 2, {3}, true, 9);
  const Task task = task_for(table, loss::LossKind::softmax);
  const SgdSettings s = sgd_settings(task, options_from<SgdOptions>({}));
  std::vector<double> inner(network::weight_count(s.shape));
  for (std::size_t j = 0; j < inner.size(); ++j) inner[j] = std::sin(static_cast<double>(j));
  const auto tiles = tests::build_tiles(table);
  const auto direct = network::scores(tiles, s.shape, inner, {1});
  const auto converted =
      outputs(engine::TileSums(tiles), tests::encoding_for(table), {task, model_weights(s, inner)}, {1});
  ASSERT_EQ(direct.size(), converted.size());
  for (std::size_t j = 0; j < direct.size(); ++j) EXPECT_NEAR(s.score_factor * direct[j], converted[j], 1e-5);
}

TEST(Sgd, SeededNetworksAreTheSameBitsForAnyThreads) {
  const auto table = checkerboard(2000, 10, true);
  const Task task = task_for(table, loss::LossKind::logistic, {8, 4});
  const Plan plan = method_named("sgd").plan(task, {{"steps", "20"}, {"batch", "500"}});
  const auto reference = fit(plan, tests::dataset_of(table), 5);
  for (const int threads : {2, 5}) EXPECT_EQ(fit(plan, tests::dataset_of(table, 192), 5, threads), reference);
  EXPECT_NE(fit(plan, tests::dataset_of(table), 6), reference);
}

TEST(Sgd, StartingWeightsArePublicAndWithinTheirWidth) {
  const network::Shape shape{9, {6, 5}, 3, network::Activation::relu};
  const auto weights = initial_weights(shape, 4, 1);
  EXPECT_EQ(weights, initial_weights(shape, 4, 1));
  EXPECT_NE(weights, initial_weights(shape, 4, 2));
  for (const network::Layer& layer : network::layers(shape)) {
    const double width = std::sqrt(6.0 / (layer.first_weight == 0 ? 4.0 : static_cast<double>(layer.inputs)));
    for (std::size_t j = 0; j < layer.inputs * layer.outputs; ++j) {
      const double weight = weights[layer.first_weight + j];
      if (j < layer.outputs) {
        EXPECT_EQ(weight, 0) << "constants start at zero";
      } else {
        EXPECT_TRUE(std::abs(weight) <= width && weight != 0);
      }
    }
  }
  EXPECT_EQ(initial_weights({9, {}, 3}, 4, 1), std::vector<double>(27, 0.0));
}

TEST(Sgd, RefusesWhatItCannotDo) {
  const auto table = tests::random_table(100, 2, {3}, true, 1);
  const Task task = task_for(table, loss::LossKind::logistic);
  const auto refused = [&](const Options& options) {
    EXPECT_THROW(method_named("sgd").plan(task, options), ArgumentError);
  };
  refused({{"steps", "10"}, {"epochs", "2"}});
  refused({{"batch", "101"}});
  refused({{"batch", "1"}, {"epochs", "1000000"}});
  refused({{"sampling", "fixed-size"}, {"neighbours", "add-remove"}});
  refused({{"clip", "0"}});
  refused({{"clip", "nan"}});
  Task pure = task;
  pure.budget.delta = 0;
  EXPECT_THROW(method_named("sgd").plan(pure, {}), ArgumentError);
  Task rules = task;
  rules.problem.loss.kind = loss::LossKind::zero_one;
  rules.problem.rules = "stumps";
  rules.facts.rules = 5;
  EXPECT_THROW(method_named("sgd").plan(rules, {}), ArgumentError);
}

TEST(Sgd, ACuratorWithOtherNeighboursReleasesNothing) {
  const auto table = tests::random_table(100, 2, {3}, true, 1);
  const Plan plan = method_named("sgd").plan(task_for(table, loss::LossKind::logistic), {{"neighbours", "add-remove"}});
  EXPECT_EQ(plan.guarantee.neighbours, privacy::Neighbours::add_remove);
  random::SeededBits bits(1);
  privacy::Curator curator(bits);  // replace-one
  EXPECT_THROW(fit(plan, tests::dataset_of(table), curator, {}), InternalError);
}

TEST(Sgd, AutomaticBatchesAreSmallWhereNoiseRulesAndLargeWhereItDoesNot) {
  Task task;
  task.facts = {60000, 785, 785, 10};
  task.problem.loss.kind = loss::LossKind::softmax;
  task.budget = {1, 1e-6};
  const auto batch = [&] {
    const Plan plan = method_named("sgd").plan(task, {});
    return std::get<privacy::SampledGaussianEvent>(plan.events.at(0).mechanism).rate * 60000;
  };
  const double usual = batch();
  EXPECT_GT(usual, 100);
  EXPECT_LT(usual, 5000);
  task.budget.epsilon = 8;
  EXPECT_GT(batch(), usual);
  task.budget.epsilon = 0.1;
  EXPECT_LT(batch(), usual);
}

}  // namespace
}  // namespace dperm::methods
