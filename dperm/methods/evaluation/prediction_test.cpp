// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/prediction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/engine/network/predict.hpp"
#include "tests/support/datasets.hpp"

namespace dperm::methods {
namespace {

constexpr std::size_t kClasses = 3;

// A table whose targets are the classes 0, 1 and 2.
tests::EncodedTable table_of_classes() {
  tests::EncodedTable table = tests::random_table(200, 2, {3}, true, 5);
  for (std::size_t row = 0; row < table.rows(); ++row) table.targets[row] = static_cast<std::int32_t>(row % kClasses);
  return table;
}

FittedModel softmax_model(const tests::EncodedTable& table, std::vector<std::size_t> hidden = {}) {
  FittedModel model;
  model.task.problem.loss.kind = loss::LossKind::softmax;
  model.task.problem.hidden = std::move(hidden);
  model.task.facts = {table.rows(), table.dimension(), table.columns(), kClasses};
  for (std::size_t j = 0; j < weight_count(model.task); ++j) {
    model.weights.push_back(2 * std::sin(3.0 * static_cast<double>(j) + 1));
  }
  return model;
}

TEST(Prediction, OfSeveralClassesMatchesPlainLoops) {
  const tests::EncodedTable table = table_of_classes();
  const FittedModel model = softmax_model(table);
  const schema::Encoding encoding = tests::encoding_for(table);
  const engine::TileSums sums = tests::sums_of(table);
  const std::vector<double> all = outputs(sums, encoding, model, {1});
  ASSERT_EQ(all.size(), table.rows() * kClasses);
  const double bound = 2;
  std::int64_t wrong = 0;
  double losses = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::vector<double> x = tests::encoded_row(table, row);
    std::vector<double> scores;
    double total = 0;
    for (std::size_t k = 0; k < kClasses; ++k) {
      const auto first = model.weights.begin() + static_cast<std::ptrdiff_t>(k * x.size());
      scores.push_back(tests::dot({first, first + static_cast<std::ptrdiff_t>(x.size())}, x));
      EXPECT_NEAR(all[row * kClasses + k], scores[k], 1e-12);
      total += std::exp(scores[k]);
    }
    const auto target = static_cast<std::size_t>(table.targets[row]);
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    wrong += static_cast<std::size_t>(best) == target ? 0 : 1;
    losses += std::min(std::log(total) - scores[target], bound) / bound;
  }
  EXPECT_EQ(error_count(sums, encoding, model, {1}), wrong);
  const double steps = engine::steps(engine::Resolution::solver, table.rows());
  EXPECT_NEAR(static_cast<double>(loss_sum(sums, encoding, model, bound, {1})) / steps, losses, 1e-6);
}

TEST(Prediction, OfANetworkIsTheNetworks) {
  const tests::EncodedTable table = table_of_classes();
  const FittedModel model = softmax_model(table, {4});
  const engine::TileSums sums = tests::sums_of(table);
  EXPECT_EQ(outputs(sums, tests::encoding_for(table), model, {1}),
            network::scores(tests::build_tiles(table), network_shape(model.task), model.weights, {1}));
}

TEST(Prediction, ATargetOutsideTheModelsClassesCountsAsWrongAndWithTheWholeBound) {
  tests::EncodedTable table = table_of_classes();
  const FittedModel model = softmax_model(table);
  for (const std::int32_t foreign : {-1, 3, 1000000}) {
    for (std::int32_t& target : table.targets) target = foreign;
    const engine::TileSums sums = tests::sums_of(table);
    const schema::Encoding encoding = tests::encoding_for(table);
    EXPECT_EQ(error_count(sums, encoding, model, {1}), static_cast<std::int64_t>(table.rows()));
    const double steps = engine::steps(engine::Resolution::solver, table.rows());
    EXPECT_EQ(static_cast<double>(loss_sum(sums, encoding, model, 2, {1})), steps * static_cast<double>(table.rows()));
  }
}

TEST(Prediction, RefusesWeightsOfAnotherModel) {
  const tests::EncodedTable table = table_of_classes();
  FittedModel model = softmax_model(table);
  model.weights.pop_back();
  EXPECT_THROW(outputs(tests::sums_of(table), tests::encoding_for(table), model, {1}), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
