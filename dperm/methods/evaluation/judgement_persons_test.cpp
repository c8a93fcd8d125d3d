// SPDX-License-Identifier: Apache-2.0
// All measures from one release where persons are protected: error bars for rows of which some are blank, and for
// persons whose rows are all alike.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/engine/blank_rows.hpp"
#include "dperm/methods/evaluation/judgement.hpp"
#include "dperm/methods/evaluation/score_edges.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/open_sensitive.hpp"

namespace dperm::methods {
namespace {

constexpr std::size_t kPersons = 800, kUnit = 3, kBlank = 500;

// One column q, uniform; the score is s = 3 q / 32767 and P(positive) = 1 / (1 + exp(1 - 0.7 s)). Every person has
// three rows, all the same: what bars that count persons have to stand.
tests::EncodedTable drawn(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  tests::EncodedTable table{{{}}, {}, {}, {}, 0};
  for (std::size_t person = 0; person < kPersons; ++person) {
    const auto q = static_cast<std::int16_t>(static_cast<int>(random() % 65535) - 32767);
    const double share = probability_of(0.7 * (3 * q / 32767.0) - 1);
    const std::int32_t target = std::generate_canonical<double, 53>(random) < share ? 1 : -1;
    for (std::size_t row = 0; row < kUnit; ++row) table.reals[0].push_back(q), table.targets.push_back(target);
  }
  return table;
}

data::Dataset dataset_with_blanks(const tests::EncodedTable& table) {
  auto filled = std::make_shared<data::FilledRows>();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    filled->append(true, row / kUnit);
    if (row < kBlank) filled->append(false);
  }
  schema::Schema schema = tests::encoding_for(table).schema();
  schema.unit = {"person", kUnit};
  const auto stored = std::make_shared<const engine::TileSums>(tests::build_tiles(table));
  return {std::make_shared<const schema::Encoding>(schema),
          engine::SharedSums(std::make_shared<const engine::BlankRows>(stored, filled))};
}

double accuracy_of_the_world() {
  double sum = 0;
  for (int q = -32767; q <= 32767; ++q) {
    const double s = 3 * q / 32767.0, y = probability_of(0.7 * s - 1);
    sum += (s > 0 ? y : 1 - y) / 65535;
  }
  return sum;
}

FittedModel model_for(const tests::EncodedTable& table) {
  Task task;
  task.problem.loss.kind = loss::LossKind::logistic;
  task.facts = tests::facts_of(table);
  task.facts.unit_rows = kUnit;
  return {task, {0, 3 * std::sqrt(2.0)}};
}

// 300 runs of bars that miss at most 5% of the time: more than 38 have a probability below 1e-6. Bars for independent
// rows would miss the world in 26%.
TEST(JudgementOfPersons, ErrorBarsHoldForTheRowsThatCountAndForThePersonsTheyComeFrom) {
  const double world = accuracy_of_the_world();
  int rows = 0, auc = 0, accuracy = 0, from_world = 0, count = 0;
  for (std::uint64_t run = 0; run < 300; ++run) {
    const auto table = drawn(run);
    const data::Dataset dataset = dataset_with_blanks(table);
    const FittedModel model = model_for(table);
    const auto budget = Budget{4, 0};
    const auto plan = plan_judgement(model.task, dataset.encoding(), dataset.rows(), budget);
    const auto exactly = plan_judgement(model.task, dataset.encoding(), dataset.rows(), std::nullopt);
    const Measures exact = SensitiveTestAccess::open(judge_exactly(dataset, model, exactly, {1})).all;
    ASSERT_EQ(exact.rows, static_cast<double>(kPersons * kUnit)) << "blank rows do not count";
    random::SeededBits bits(run);
    privacy::Curator curator(bits, privacy::Neighbours::replace_one, kUnit);
    const Measures all =
        evaluated(judge_privately(dataset, model, plan, curator, {1}), model.task, dataset.encoding().schema().target)
            .all;
    ASSERT_LE(privacy::account(curator.events(), 0).epsilon, 4);
    const auto misses = [&](const char* name, double truth, bool sampling) {
      const Measure& each = *all.find(name);
      return !(std::abs(each.value - truth) <= (sampling ? each.total_radius : each.radius));
    };
    rows += std::abs(all.rows - exact.rows) > all.rows_radius;
    auc += misses("auc", exact.find("auc")->value, false);
    accuracy += misses("accuracy", exact.find("accuracy")->value, false);
    from_world += misses("accuracy", world, true);
    count += std::isnan(all.find("accuracy")->value);
  }
  EXPECT_EQ(count, 0);
  EXPECT_LE(rows, 38);
  EXPECT_LE(auc, 38);
  EXPECT_LE(accuracy, 38);
  EXPECT_LE(from_world, 38);
  EXPECT_GT(accuracy + rows, 4) << "the bars are far too wide";
}

TEST(JudgementOfPersons, AreForACuratorOfTheSameUnitAndForRowsReadWithIt) {
  const auto table = drawn(1);
  const data::Dataset dataset = dataset_with_blanks(table);
  const FittedModel model = model_for(table);
  const auto plan = plan_judgement(model.task, dataset.encoding(), dataset.rows(), Budget{1, 0});
  random::SeededBits bits(1);
  privacy::Curator of_rows(bits);
  EXPECT_THROW(judge_privately(dataset, model, plan, of_rows, {1}), InternalError);
  EXPECT_TRUE(of_rows.events().empty());
  const data::EncodedRows rows{table.rows(), Sensitive<data::TileSet>(tests::build_tiles(table)),
                               Sensitive<std::shared_ptr<const data::FilledRows>>(nullptr)};
  data::ReadOptions options;
  options.by_unit = false;
  const data::Dataset without(dataset.shared_encoding(), rows, options);
  const auto planned = plan_judgement(model.task, without.encoding(), without.rows(), Budget{1, 0});
  privacy::Curator curator(bits, privacy::Neighbours::replace_one, kUnit);
  EXPECT_THROW(judge_privately(without, model, planned, curator, {1}), ArgumentError);
}

}  // namespace
}  // namespace dperm::methods
