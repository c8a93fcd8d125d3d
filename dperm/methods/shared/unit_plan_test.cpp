// SPDX-License-Identifier: Apache-2.0
// Plans that protect a person: what they promise, what they refuse, and that a person's rows change no query by more
// than was recorded.
#include "dperm/methods/shared/unit_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/engine/blank_rows.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/events/group.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::methods {
namespace {

Task with_unit(Task task, std::size_t rows) {
  task.facts.unit_rows = rows;
  return task;
}

std::shared_ptr<const schema::Encoding> encoding_with_unit(const tests::EncodedTable& table, std::uint32_t rows) {
  schema::Schema schema = tests::encoding_for(table).schema();
  schema.unit = {"person", rows};
  return std::make_shared<const schema::Encoding>(schema);
}

// The table with some of its rows blank; the stored ones are the first of `table`.
data::Dataset dataset_with_blanks(tests::EncodedTable table, std::uint32_t unit_rows, std::size_t every) {
  auto filled = std::make_shared<data::FilledRows>();
  for (std::size_t row = 0; row < table.rows(); ++row) filled->append(row % every != 0);
  const auto encoding = encoding_with_unit(table, unit_rows);
  const auto shorten = [&](auto& column) { column.resize(filled->filled()); };
  for (auto& column : table.reals) shorten(column);
  for (auto& column : table.codes) shorten(column);
  shorten(table.targets);
  const auto stored = std::make_shared<const engine::TileSums>(tests::build_tiles(table));
  return {encoding, engine::SharedSums(std::make_shared<const engine::BlankRows>(stored, filled))};
}

class UnitPlans : public testing::TestWithParam<AlgorithmOptions> {};

// Every algorithm either keeps the promise for all rows of a person, or says why not.
TEST_P(UnitPlans, KeepThePromiseForAllRowsOfAPersonOrAreRefused) {
  const tests::Example example = tests::example_for(GetParam(), 400, 1);
  for (const std::size_t rows : {1u, 3u}) {
    const Task task = with_unit(example.task, rows);
    std::optional<Plan> plan;
    try {
      plan = plan_for(task, GetParam());
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find("[unit]"), std::string::npos) << error.what();
      continue;
    }
    EXPECT_LE(plan->guarantee.epsilon, 1);
    EXPECT_GT(plan->guarantee.epsilon, 0.98) << "budget is wasted";
    EXPECT_EQ(plan->task.budget, task.budget);
    EXPECT_EQ(plan->task.facts.unit_rows, rows);
    EXPECT_EQ(privacy::account(plan->events, 1e-6), plan->guarantee);
    EXPECT_EQ(plan_for(plan->task, plan->options).events, plan->events);

    const data::Dataset dataset = dataset_with_blanks(example.table, static_cast<std::uint32_t>(rows), 7);
    random::SeededBits bits(1);
    privacy::Curator curator(bits, plan->guarantee.neighbours, rows);
    const FitResult result = fit(*plan, dataset, curator, {});
    EXPECT_EQ(result.events, plan->events);
    for (const double w : result.weights.get()) EXPECT_TRUE(std::isfinite(w));
    privacy::Curator for_rows(bits, plan->guarantee.neighbours);
    if (rows > 1) {
      EXPECT_THROW(fit(*plan, dataset, for_rows, {}), ArgumentError);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, UnitPlans, testing::ValuesIn(all_algorithms()), [](const auto& each) {
  std::string name(algorithm_name(each.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

std::string refusal(const Task& task, const AlgorithmOptions& options) {
  try {
    plan_for(task, options);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(UnitPlan, SaysWhatItTakesAndWhatNot) {
  const auto examples = tests::example_tasks(400, 1);
  const Task logistic = with_unit(examples[5].task, 3), real = with_unit(examples[1].task, 3);
  EXPECT_EQ(refusal(logistic, GradientDescentOptions{}), "accepted");
  EXPECT_EQ(refusal(logistic, NewtonOptions{}), "accepted");
  EXPECT_EQ(refusal(logistic, OutputCertifiedOptions{}), "accepted");
  EXPECT_EQ(refusal(logistic, OutputDescentOptions{}), "accepted");
  EXPECT_EQ(refusal(logistic, SgdOptions{}), "accepted");
  EXPECT_EQ(refusal(logistic, ConstantOptions{}), "accepted");
  EXPECT_EQ(refusal(real, SufficientStatisticsOptions{}), "accepted");
  EXPECT_EQ(refusal(logistic, ObjectivePerturbationOptions{.noise = TermNoise::pure}), "accepted");
  EXPECT_NE(refusal(logistic, ObjectivePerturbationOptions{}).find("proved private for one row"), std::string::npos);
  EXPECT_NE(refusal(logistic, OutputSgdOptions{}).find("one row of one batch"), std::string::npos);
  EXPECT_NE(refusal(real, ConstantOptions{}).find("blank rows"), std::string::npos);
  SgdOptions sampled;
  sampled.sampling = privacy::Sampling::fixed_size;
  sampled.batch = 20;
  EXPECT_NE(refusal(logistic, sampled).find("fixed size"), std::string::npos);
}

TEST(UnitPlan, FullSumsGetTheirNoiseTimesTheRows) {
  const Task task = tests::example_tasks(400, 1)[5].task;
  const AlgorithmOptions options = GradientDescentOptions{.steps = 10};
  const auto one = std::get<privacy::GaussianEvent>(plan_for(task, options).events.at(0).mechanism);
  const auto five = std::get<privacy::GaussianEvent>(plan_for(with_unit(task, 5), options).events.at(0).mechanism);
  EXPECT_NEAR(five.sigma / one.sigma, 5, 1e-6);
  EXPECT_NEAR(five.l2_sensitivity / one.l2_sensitivity, 5, 1e-12);
}

TEST(UnitPlan, SamplesAreAccountedForAsGroups) {
  const Task task = with_unit(tests::example_tasks(400, 1)[5].task, 4);
  SgdOptions sampled;
  sampled.batch = 20;
  sampled.steps = 50;
  const AlgorithmOptions options = sampled;
  const Plan plan = plan_for(task, options);
  const auto event = std::get<privacy::SampledGaussianEvent>(plan.events.at(0).mechanism);
  EXPECT_EQ(event.group, 4u);
  EXPECT_LE(plan.guarantee.epsilon, 1);
  EXPECT_GT(plan.guarantee.epsilon, 0.99);
  const auto one =
      std::get<privacy::SampledGaussianEvent>(plan_for(with_unit(task, 0), options).events.at(0).mechanism);
  EXPECT_GT(event.sigma, 3 * one.sigma);
}

// Any rows of one person for any others: the sums that leave differ by no more than the recorded sensitivity, and
// nearly by as much for the worst of them.
TEST(UnitPlan, BruteForceNeighboursNeverExceedTheRecordedSensitivity) {
  constexpr std::size_t kRows = 12, kUnit = 3;
  const auto gradient_of = [](const tests::EncodedTable& table, const std::vector<bool>& mask, const Plan& plan,
                              const std::vector<double>& weights) {
    tests::EncodedTable stored = table;
    auto filled = std::make_shared<data::FilledRows>();
    for (auto* column : {&stored.reals[0], &stored.reals[1]}) column->clear();
    stored.codes[0].clear(), stored.targets.clear();
    for (std::size_t row = 0; row < kRows; ++row) {
      filled->append(mask[row]);
      if (!mask[row]) continue;
      for (std::size_t j = 0; j < 2; ++j) stored.reals[j].push_back(table.reals[j][row]);
      stored.codes[0].push_back(table.codes[0][row]);
      stored.targets.push_back(table.targets[row]);
    }
    const engine::BlankRows sums(std::make_shared<const engine::TileSums>(tests::build_tiles(stored)), filled);
    const double radius = loss::norm_bound(plan.task.problem.feasible_set, weight_count(plan.task));
    const GradientLattice lattice =
        gradient_lattice(plan.task.problem.loss, radius, plan.task.facts, engine::Resolution::release);
    return gradient_on_lattice(sums, plan.task.problem.loss, lattice, weights, engine::Resolution::release, {1});
  };
  std::mt19937_64 random(3);
  tests::Example example = tests::example_tasks(kRows, 1)[5];
  const Plan plan = plan_for(with_unit(example.task, kUnit), AlgorithmOptions(GradientDescentOptions{.steps = 1}));
  const double recorded = std::get<privacy::GaussianEvent>(plan.events.at(0).mechanism).l2_sensitivity;
  const std::vector<double> weights(example.task.facts.dimension, 0.0);
  double most = 0;
  for (int trial = 0; trial < 400; ++trial) {
    // Rows 2 to 8 are one person's, of which kUnit count in either table, perhaps others.
    tests::EncodedTable other = example.table;
    std::vector<bool> before(kRows, true), after(kRows, true);
    for (std::size_t row = 2; row <= 8; ++row) before[row] = after[row] = false;
    for (std::size_t i = 0; i < kUnit; ++i) before[2 + random() % 7] = true, after[2 + random() % 7] = true;
    for (std::size_t row = 2; row <= 8; ++row) {
      for (auto* table : {&example.table, &other}) {
        for (auto& column : table->reals) column[row] = static_cast<std::int16_t>(random() % 2 == 0 ? 32767 : -32767);
        table->codes[0][row] = static_cast<std::uint32_t>(random() % 3);
        table->targets[row] = random() % 2 == 0 ? 1 : -1;
      }
    }
    const auto one = gradient_of(example.table, before, plan, weights), two = gradient_of(other, after, plan, weights);
    double square = 0;
    for (std::size_t j = 0; j < one.size(); ++j) square += std::pow(static_cast<double>(one[j] - two[j]), 2);
    most = std::max(most, std::sqrt(square));
    ASSERT_LE(std::sqrt(square), recorded);
  }
  EXPECT_GT(most, recorded / kUnit) << "the neighbours tried are no harder than one row";
}

TEST(UnitPlan, RowsReadWithoutTheUnitAreNotLearnedFrom) {
  const tests::Example example = tests::example_tasks(50, 1)[5];
  const auto encoding = encoding_with_unit(example.table, 3);
  data::ReadOptions options;
  options.by_unit = false;
  const data::EncodedRows rows{example.table.rows(), Sensitive<data::TileSet>(tests::build_tiles(example.table)),
                               Sensitive<std::shared_ptr<const data::FilledRows>>(nullptr)};
  const data::Dataset dataset(encoding, rows, options);
  const Plan plan = plan_for(with_unit(example.task, 3), AlgorithmOptions(GradientDescentOptions{.steps = 1}));
  random::SeededBits bits(1);
  privacy::Curator curator(bits, privacy::Neighbours::replace_one, 3);
  EXPECT_THROW(fit(plan, dataset, curator, {}), ArgumentError);
  FittedModel model{example.task, std::vector<double>(example.task.facts.dimension, 0.1)};
  EXPECT_THROW(evaluate_privately(dataset, {Metric::accuracy, model, {1}}, 1, curator), ArgumentError);
  EXPECT_TRUE(curator.events().empty());
}

TEST(UnitPlan, AnEvaluationSpendsItsEpsilonOnAPersonAndIsAShareOfTheRowsThatCount) {
  const tests::Example example = tests::example_tasks(6000, 1)[5];
  const data::Dataset dataset = dataset_with_blanks(example.table, 4, 3);
  const EvaluationQuery query{Metric::accuracy, {example.task, {0.3, -1, 2, 0.5, -0.5, 0.1}}, {1}};
  const double truth = SensitiveTestAccess::open(evaluate(dataset, query));
  int outside = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    random::SeededBits bits(seed);
    privacy::Curator curator(bits, privacy::Neighbours::replace_one, 4);
    const PrivateEvaluation result = evaluate_privately(dataset, query, 0.5, curator);
    EXPECT_LE(result.guarantee.epsilon, 0.5);
    EXPECT_GT(result.guarantee.epsilon, 0.499);
    EXPECT_LT(result.noise_radius, 0.05);
    outside += std::abs(result.estimate - truth) > result.noise_radius;
  }
  EXPECT_LE(outside, 200 * 0.05 + 6 * std::sqrt(200 * 0.05)) << "95% intervals";
  random::SeededBits bits(1);
  privacy::Curator of_rows(bits);
  EXPECT_THROW(evaluate_privately(dataset, query, 0.5, of_rows), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
