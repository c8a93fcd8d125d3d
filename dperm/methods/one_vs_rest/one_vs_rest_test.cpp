// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/one_vs_rest/one_vs_rest.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "dperm/methods/evaluation/prediction.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/minimum.hpp"
#include "tests/support/softmax_reference.hpp"

namespace dperm::methods {
namespace {

const std::map<std::string, std::string> kByClass = {{"classes", "one-vs-rest"}};

Task task_for(const tests::EncodedTable& table, std::size_t classes, double epsilon = 1, double delta = 1e-6) {
  Task task;
  task.problem.loss.kind = loss::LossKind::softmax;
  task.facts = tests::facts_of(table);
  task.facts.classes = classes;
  task.budget = {epsilon, delta};
  return task;
}

std::vector<double> fit(const Plan& plan, const tests::EncodedTable& table) {
  random::SeededBits bits(3);
  privacy::Curator curator(bits);
  FitResult result = fit(plan, tests::dataset_of(table), curator, {});
  EXPECT_EQ(result.events, plan.events);
  EXPECT_EQ(privacy::account(result.events, plan.task.budget.delta), plan.guarantee);
  return result.weights.get();
}

TEST(OneVsRest, KeepsToTheBudgetAndShowsHowItIsDivided) {
  const auto table = tests::class_table(3000, 2, {3}, 4, 1);
  for (const double delta : {1e-6, 0.0}) {
    const Plan plan = method_named("objective-perturbation").plan(task_for(table, 4, 1, delta), kByClass);
    EXPECT_LE(plan.guarantee.epsilon, 1);
    EXPECT_GT(plan.guarantee.epsilon, 0.98);
    ASSERT_EQ(plan.events.size(), 2u);
    EXPECT_EQ(plan.events[0].repetitions, 4);
    EXPECT_EQ(plan.derivation.at(1).quantity, "epsilon of one class");
    EXPECT_GT(plan.derivation.at(1).value, delta > 0 ? 0.4 : 0.24) << "about 1/sqrt(4), pure 1/4";
    EXPECT_EQ(fit(plan, table).size(), 4 * table.dimension());
    EXPECT_EQ(plan_for(plan.task, plan.options).events, plan.events);
  }
}

TEST(OneVsRest, WithHardlyAnyNoiseEveryClassIsItsBinaryMinimum) {
  auto table = tests::class_table(1500, 2, {3}, 3, 5);
  Task task = task_for(table, 3, 900);
  task.problem.l2_penalty = 0.05;
  auto options = kByClass;
  const auto classes = table.targets;
  const auto expect_minima = [&](const loss::Loss& loss) {
    table.targets = classes;
    const auto weights = fit(method_named("objective-perturbation").plan(task, options), table);
    const Problem binary{loss, 0.05, {}};
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t row = 0; row < table.rows(); ++row) {
        table.targets[row] = classes[row] == static_cast<std::int32_t>(k) ? 1 : -1;
      }
      const auto best = tests::minimum(table, binary);
      for (std::size_t j = 0; j < best.size(); ++j) EXPECT_NEAR(weights[k * best.size() + j], best[j], 0.02);
    }
  };
  options["binary_loss"] = "logistic";
  expect_minima({});
  options["binary_loss"] = "smoothed-hinge";
  expect_minima({.kind = loss::LossKind::smoothed_hinge});
  options["binary_margin"] = "1";
  options["binary_smoothing"] = "0.8";
  expect_minima({.kind = loss::LossKind::smoothed_hinge, .smoothing = 0.8, .margin = 1});
}

TEST(OneVsRest, RefusesTargetsThatAreNoClasses) {
  const auto table = tests::class_table(300, 1, {}, 3, 1);
  Task binary = task_for(table, 0);
  binary.problem.loss.kind = loss::LossKind::logistic;
  EXPECT_THROW(method_named("objective-perturbation").plan(binary, kByClass), ArgumentError);
  auto options = kByClass;
  options["calibration"] = "amp";
  EXPECT_THROW(method_named("objective-perturbation").plan(task_for(table, 3), options), ArgumentError);
}

TEST(OneVsRest, RefusesParametersOfALossThatIsNotThere) {
  const auto table = tests::class_table(300, 1, {}, 3, 1);
  for (const char* name : {"binary_margin", "binary_smoothing"}) {
    auto options = kByClass;
    options[name] = "0.7";
    EXPECT_THROW(method_named("objective-perturbation").plan(task_for(table, 3), options), ArgumentError) << "logistic";
    options["binary_loss"] = "smoothed-hinge";
    EXPECT_NO_THROW(method_named("objective-perturbation").plan(task_for(table, 3), options));
    options["classes"] = "joint";
    EXPECT_THROW(method_named("objective-perturbation").plan(task_for(table, 3), options), ArgumentError) << "softmax";
  }
  EXPECT_THROW(method_named("objective-perturbation").plan(task_for(table, 3), {{"binary_loss", "smoothed-hinge"}}),
               ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
