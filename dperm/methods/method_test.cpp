// SPDX-License-Identifier: Apache-2.0
// Properties that hold for every algorithm in the list.
#include "dperm/methods/method.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "tests/support/examples.hpp"

namespace dperm::methods {
namespace {

class Algorithms : public testing::TestWithParam<AlgorithmOptions> {
 protected:
  static tests::Example example(std::size_t rows, std::uint64_t seed) {
    return tests::example_for(GetParam(), rows, seed);
  }
  static std::vector<double> seeded_fit(const Plan& plan, const data::Dataset& dataset, int threads) {
    random::SeededBits bits(42);
    privacy::Curator curator(bits, plan.guarantee.neighbours);
    return fit(plan, dataset, curator, {{threads}, {}}).weights.get();
  }
};

TEST_P(Algorithms, PlannedEventsEqualRecordedEventsAndGiveTheGuarantee) {
  const tests::Example each = example(300, 1);
  const Plan plan = plan_for(each.task, GetParam());
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  const FitResult result = fit(plan, tests::dataset_of(each.table), curator, {});
  EXPECT_EQ(result.events, plan.events);
  EXPECT_EQ(privacy::account(result.events, 1e-6), plan.guarantee);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GT(plan.guarantee.epsilon, 0.98) << "budget is wasted";
  EXPECT_FALSE(result.secure) << "a seeded fit must say that it is not private";
}

TEST_P(Algorithms, PlanningTheResolvedTaskAgainChangesNothing) {
  const tests::Example each = example(300, 1);
  const Plan plan = plan_for(each.task, GetParam());
  const Plan again = plan_for(plan.task, plan.options);
  EXPECT_EQ(again.events, plan.events);
  EXPECT_EQ(again.utility.excess_risk, plan.utility.excess_risk);
  EXPECT_EQ(seeded_fit(again, tests::dataset_of(each.table), 1), seeded_fit(plan, tests::dataset_of(each.table), 1));
}

TEST_P(Algorithms, OptionsSurviveTheWayThroughText) {
  const tests::Example each = example(300, 1);
  const Plan plan = plan_for(each.task, GetParam());
  const AlgorithmOptions read = options_named(algorithm_name(plan.options), option_texts(plan.options));
  EXPECT_EQ(algorithm_name(read), algorithm_name(GetParam()));
  EXPECT_EQ(option_texts(read), option_texts(GetParam()));
  EXPECT_EQ(plan_for(each.task, read).events, plan.events);
}

TEST_P(Algorithms, SeededWeightsAreTheSameBitsForAnyThreadsAndTileHeight) {
  const tests::Example each = example(1000, 3);
  const Plan plan = plan_for(each.task, GetParam());
  const auto reference = seeded_fit(plan, tests::dataset_of(each.table), 1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(seeded_fit(plan, tests::dataset_of(each.table), threads), reference);
  for (const std::size_t height : {64u, 192u, 4096u}) {
    EXPECT_EQ(seeded_fit(plan, tests::dataset_of(each.table, height), 2), reference) << "tile height " << height;
  }
}

TEST_P(Algorithms, WeightsLieInTheFeasibleSetOrTheSetIsRefused) {
  for (const auto kind : {loss::SetKind::ball, loss::SetKind::box}) {
    tests::Example each = example(50, 5);
    each.task.problem.feasible_set = {kind, 0.7};
    std::optional<Plan> plan;
    try {
      plan = plan_for(each.task, GetParam());
    } catch (const ArgumentError&) {
      continue;
    }
    const auto weights = seeded_fit(*plan, tests::dataset_of(each.table), 1);
    auto projected = weights;
    loss::project(each.task.problem.feasible_set, projected);
    for (std::size_t j = 0; j < weights.size(); ++j) EXPECT_NEAR(weights[j], projected[j], 1e-12);
  }
}

TEST_P(Algorithms, OneRowAndOneClassGiveAnOrdinaryFit) {
  const tests::Example one_row = example(1, 2);
  const auto weights = seeded_fit(plan_for(one_row.task, GetParam()), tests::dataset_of(one_row.table), 1);
  for (const double w : weights) EXPECT_TRUE(std::isfinite(w));
  tests::Example one_class = example(100, 2);
  for (auto& target : one_class.table.targets) target = one_class.table.targets.front();
  EXPECT_NO_THROW(seeded_fit(plan_for(one_class.task, GetParam()), tests::dataset_of(one_class.table), 1));
}

TEST_P(Algorithms, RefusesAPlanMadeForOtherDataAndOneReadFromAFile) {
  Plan plan = plan_for(example(100, 1).task, GetParam());
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  EXPECT_THROW(fit(plan, tests::dataset_of(example(101, 1).table), curator, {}), ArgumentError);
  plan.run = {};
  EXPECT_THROW(fit(plan, tests::dataset_of(example(100, 1).table), curator, {}), ArgumentError);
  EXPECT_TRUE(curator.events().empty()) << "nothing may be released for a refused fit";
}

TEST_P(Algorithms, RefusesUnknownOptionsAndBadBudgets) {
  EXPECT_THROW(options_named(algorithm_name(GetParam()), {{"magic", "1"}}), ArgumentError);
  Task bad = example(100, 1).task;
  bad.budget.epsilon = 0;
  EXPECT_THROW(plan_for(bad, GetParam()), ArgumentError);
}

std::string test_name(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, Algorithms, testing::ValuesIn(all_algorithms()),
                         [](const auto& each) { return test_name(algorithm_name(each.param)); });

TEST(MethodList, NamesAreFoundAndUnknownOnesRefused) {
  for (const Method* method : all_methods()) EXPECT_EQ(&method_named(method->name()), method);
  EXPECT_THROW(method_named("magic"), ArgumentError);
  EXPECT_THROW(options_named("magic", {}), ArgumentError);
}

TEST(MethodList, EveryAlgorithmBelongsToAMethodThatHasItsOptions) {
  for (const AlgorithmOptions& each : all_algorithms()) {
    const auto known = method_named(method_name(each)).options();
    for (const auto& [name, text] : option_texts(each)) {
      EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&, n = name](const auto& spec) { return spec.name == n; }))
          << name;
    }
  }
}

TEST(MethodList, AutoHasAllMethodsAndANameOne) {
  EXPECT_EQ(planners("constant", {}).size(), 1u);
  EXPECT_EQ(planners("auto", {}).size(), all_methods().size());
}

std::string refusal(std::string_view method, const Texts& given) {
  try {
    method_named(method).plan(tests::example_tasks(100, 1)[5].task, given);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MethodList, AnOptionOfASiblingIsRefusedByName) {
  EXPECT_EQ(refusal("gradient-descent", {{"damping", "0.1"}}),
            "`damping` is an option of `order = second`; leave it out");
  EXPECT_EQ(refusal("gradient-descent", {{"order", "second"}, {"momentum", "0.5"}}),
            "`momentum` is an option of `order = first`; leave it out");
  EXPECT_EQ(refusal("output-perturbation", {{"solver", "certified"}, {"passes", "3"}}),
            "`passes` is an option of `solver = gradient-descent` or of `solver = permutation-sgd`; leave it out");
  EXPECT_EQ(refusal("objective-perturbation", {{"binary_loss", "smoothed-hinge"}}),
            "`binary_loss` is an option of `classes = one-vs-rest`; leave it out");
  EXPECT_NE(refusal("gradient-descent", {{"magic", "1"}}).find("has no option `magic`; it has: `steps`"),
            std::string::npos);
  EXPECT_EQ(refusal("gradient-descent", {{"order", "third"}}), "`order` must be one of first, second; got 'third'");
  EXPECT_EQ(refusal("gradient-descent", {{"damping", "auto"}}), "accepted") << "at its default it says nothing";
}

}  // namespace
}  // namespace dperm::methods
