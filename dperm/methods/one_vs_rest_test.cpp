// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/one_vs_rest.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "dperm/data/relabel.hpp"
#include "dperm/methods/objective_perturbation.hpp"
#include "dperm/methods/prediction.hpp"
#include "dperm/privacy/accountant.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"
#include "tests/support/softmax_reference.hpp"

namespace dperm::methods {
namespace {

const std::map<std::string, std::string> kByClass = {{"classes", "one-vs-rest"}};

Question question_for(const tests::EncodedTable& table, std::size_t classes, double epsilon = 1, double delta = 1e-6) {
  Question question;
  question.problem.loss.kind = loss::LossKind::softmax;
  question.facts = tests::facts_of(table);
  question.facts.classes = classes;
  question.budget = {epsilon, delta};
  return question;
}

std::vector<double> fit(const Plan& plan, const tests::EncodedTable& table) {
  random::SeededBits bits(3);
  privacy::Curator curator(bits);
  FitResult result = ObjectivePerturbation().fit(plan, tests::dataset_of(table), curator, {});
  EXPECT_EQ(result.events, plan.events);
  EXPECT_EQ(privacy::account(result.events, plan.question.budget.delta), plan.guarantee);
  return result.weights.get();
}

TEST(Relabel, MakesOneClassPositiveAndLeavesTheFeatures) {
  const auto table = tests::class_table(200, 2, {3}, 4, 1);
  const data::TileSet tiles = tests::build_tiles(table, 64), binary = data::one_against_rest(tiles, 2);
  ASSERT_EQ(binary.rows(), 200u);
  for (std::size_t row = 0; row < 200; ++row) {
    const data::TileView from = tiles.tile(row / 64), to = binary.tile(row / 64);
    EXPECT_EQ(to.target(binary.layout())[row % 64], table.targets[row] == 2 ? 1 : -1);
    EXPECT_EQ(to.real(binary.layout(), 1)[row % 64], from.real(tiles.layout(), 1)[row % 64]);
    EXPECT_EQ(to.code(binary.layout(), 0, row % 64), from.code(tiles.layout(), 0, row % 64));
  }
}

TEST(OneVsRest, KeepsToTheBudgetAndShowsHowItIsDivided) {
  const auto table = tests::class_table(3000, 2, {3}, 4, 1);
  for (const double delta : {1e-6, 0.0}) {
    const Plan plan = ObjectivePerturbation().plan(question_for(table, 4, 1, delta), kByClass);
    EXPECT_LE(plan.guarantee.epsilon, 1);
    EXPECT_GT(plan.guarantee.epsilon, 0.98);
    ASSERT_EQ(plan.events.size(), 2u);
    EXPECT_EQ(plan.events[0].repetitions, 4);
    EXPECT_EQ(plan.derivation.at(1).quantity, "epsilon of one class");
    EXPECT_GT(plan.derivation.at(1).value, delta > 0 ? 0.4 : 0.24) << "about 1/sqrt(4), pure 1/4";
    EXPECT_EQ(fit(plan, table).size(), 4 * table.dimension());
    EXPECT_EQ(ObjectivePerturbation().plan(plan.question, plan.options).events, plan.events);
  }
}

TEST(OneVsRest, WithHardlyAnyNoiseEveryClassIsItsBinaryMinimum) {
  auto table = tests::class_table(1500, 2, {3}, 3, 5);
  Question question = question_for(table, 3, 900);
  question.problem.l2_penalty = 0.05;
  auto options = kByClass;
  options["binary-loss"] = "logistic";
  const auto weights = fit(ObjectivePerturbation().plan(question, options), table);
  Problem binary;
  binary.l2_penalty = 0.05;
  const auto classes = table.targets;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      table.targets[row] = classes[row] == static_cast<std::int32_t>(k) ? 1 : -1;
    }
    const auto best = tests::minimum(table, binary);
    for (std::size_t j = 0; j < best.size(); ++j) EXPECT_NEAR(weights[k * best.size() + j], best[j], 0.02);
  }
}

TEST(OneVsRest, RefusesTargetsThatAreNoClasses) {
  const auto table = tests::class_table(300, 1, {}, 3, 1);
  Question binary = question_for(table, 0);
  binary.problem.loss.kind = loss::LossKind::logistic;
  EXPECT_THROW(ObjectivePerturbation().plan(binary, kByClass), ArgumentError);
  auto options = kByClass;
  options["calibration"] = "amp";
  EXPECT_THROW(ObjectivePerturbation().plan(question_for(table, 3), options), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
