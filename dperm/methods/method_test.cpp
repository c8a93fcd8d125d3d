// SPDX-License-Identifier: Apache-2.0
// Properties that hold for every method in the list.
#include "dperm/methods/method.hpp"

#include <gtest/gtest.h>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "tests/support/datasets.hpp"

namespace dperm::methods {
namespace {

class Methods : public testing::TestWithParam<const Method*> {
 protected:
  // A task the method answers: classification, or regression for methods that only do that.
  static bool location() { return GetParam()->name() == "exponential"; }
  static bool binary() { return GetParam()->name() != "sufficient-statistics" && !location(); }
  // The same, or its targets alone for methods that find one number.
  static tests::EncodedTable without_columns_for_location(tests::EncodedTable table) {
    if (location()) {
      table.reals.clear();
      table.levels.clear();
      table.codes.clear();
    }
    return table;
  }
  static tests::EncodedTable learnable_table(std::size_t rows, std::size_t reals,
                                             const std::vector<std::uint32_t>& levels, std::uint64_t seed) {
    return without_columns_for_location(tests::learnable_table(rows, reals, levels, binary(), seed));
  }
  static Task task(const tests::EncodedTable& table) {
    Task asked{{}, tests::facts_of(table), {1, 1e-6}};
    if (!binary()) asked.problem.loss.kind = location() ? loss::LossKind::absolute : loss::LossKind::squared;
    return asked;
  }
  static std::vector<double> seeded_fit(const Plan& plan, const data::Dataset& dataset, int threads) {
    random::SeededBits bits(42);
    privacy::Curator curator(bits);
    return GetParam()->fit(plan, dataset, curator, {{threads}, {}}).weights.get();
  }
};

TEST_P(Methods, PlannedEventsEqualRecordedEventsAndGiveTheGuarantee) {
  const auto table = learnable_table(300, 2, {3}, 1);
  const Plan plan = GetParam()->plan(task(table), {});
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  const FitResult result = GetParam()->fit(plan, tests::dataset_of(table), curator, {});
  EXPECT_EQ(result.events, plan.events);
  EXPECT_EQ(privacy::account(result.events, 1e-6), plan.guarantee);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GT(plan.guarantee.epsilon, 0.999) << "budget is wasted";
  EXPECT_FALSE(result.secure) << "a seeded fit must say that it is not private";
}

TEST_P(Methods, PlanningTheResolvedTaskAgainChangesNothing) {
  const auto table = learnable_table(300, 2, {3}, 1);
  const Plan plan = GetParam()->plan(task(table), {});
  const Plan again = GetParam()->plan(plan.task, plan.options);
  EXPECT_EQ(again.events, plan.events);
  EXPECT_EQ(again.utility.excess_risk, plan.utility.excess_risk);
}

TEST_P(Methods, SeededWeightsAreTheSameBitsForAnyThreadsAndTileHeight) {
  const auto table = learnable_table(3000, 3, {5, 2}, 3);
  const Plan plan = GetParam()->plan(task(table), {});
  const auto reference = seeded_fit(plan, tests::dataset_of(table), 1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(seeded_fit(plan, tests::dataset_of(table), threads), reference);
  for (const std::size_t height : {64u, 192u, 4096u}) {
    EXPECT_EQ(seeded_fit(plan, tests::dataset_of(table, height), 2), reference) << "tile height " << height;
  }
}

TEST_P(Methods, WeightsLieInTheFeasibleSet) {
  const auto table = learnable_table(50, 2, {3}, 5);
  for (const auto kind : {loss::SetKind::ball, loss::SetKind::box}) {
    Task asked = task(table);
    asked.problem.feasible_set = {kind, 0.7};
    if (GetParam()->name() == "objective-perturbation" || (!binary() && !location())) {
      EXPECT_THROW(GetParam()->plan(asked, {}), ArgumentError);
      continue;
    }
    const auto weights = seeded_fit(GetParam()->plan(asked, {}), tests::dataset_of(table), 1);
    auto projected = weights;
    loss::project(asked.problem.feasible_set, projected);
    for (std::size_t j = 0; j < weights.size(); ++j) EXPECT_NEAR(weights[j], projected[j], 1e-12);
  }
}

TEST_P(Methods, OneRowOneClassAndConstantColumnsGiveAnOrdinaryFit) {
  const auto one_row = without_columns_for_location({{{100}}, {2}, {{2}}, {1}});
  const auto weights = seeded_fit(GetParam()->plan(task(one_row), {}), tests::dataset_of(one_row), 1);
  for (const double w : weights) EXPECT_TRUE(std::isfinite(w));
  auto one_class = without_columns_for_location(tests::random_table(100, 1, {2}, binary(), 2));
  for (auto& target : one_class.targets) target = -1;
  EXPECT_NO_THROW(seeded_fit(GetParam()->plan(task(one_class), {}), tests::dataset_of(one_class), 1));
}

TEST_P(Methods, RefusesAPlanMadeForOtherData) {
  const auto table = learnable_table(100, 2, {3}, 1);
  const Plan plan = GetParam()->plan(task(table), {});
  const auto longer = learnable_table(101, 2, {3}, 1);
  random::SeededBits bits(1);
  privacy::Curator curator(bits);
  EXPECT_THROW(GetParam()->fit(plan, tests::dataset_of(longer), curator, {}), ArgumentError);
  EXPECT_TRUE(curator.events().empty()) << "nothing may be released for a refused fit";
}

TEST_P(Methods, RefusesUnknownOptionsAndBadBudgets) {
  const auto table = learnable_table(100, 2, {3}, 1);
  EXPECT_THROW(GetParam()->plan(task(table), {{"magic", "1"}}), ArgumentError);
  Task bad = task(table);
  bad.budget.epsilon = 0;
  EXPECT_THROW(GetParam()->plan(bad, {}), ArgumentError);
}

INSTANTIATE_TEST_SUITE_P(All, Methods, testing::ValuesIn(all_methods().begin(), all_methods().end()),
                         [](const auto& each) {
                           std::string name(each.param->name());
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(MethodList, NamesAreFoundAndUnknownOnesRefused) {
  for (const Method* method : all_methods()) EXPECT_EQ(&method_named(method->name()), method);
  EXPECT_THROW(method_named("magic"), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
