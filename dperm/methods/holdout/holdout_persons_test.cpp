// SPDX-License-Identifier: Apache-2.0
// Rows kept out where persons are protected: whole persons, and what one of them can change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "dperm/core/error.hpp"
#include "dperm/engine/split.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/holdout/holdout.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/events/group.hpp"
#include "tests/support/datasets.hpp"
#include "tests/support/reading.hpp"

namespace dperm::methods {
namespace {

constexpr std::size_t kUnit = 2;

std::string schema_text(bool real) {
  const std::string target = real ? "kind = 'real'\nlower = 0\nupper = 10\n" : "kind = 'binary'\npositive = '10'\n";
  return "[unit]\ncolumn = 'person'\nrows = 2\n"
         "[[column]]\nname = 'x'\nkind = 'real'\nlower = 0\nupper = 10\n"
         "[[column]]\nname = 'c'\nkind = 'category'\nvalues = ['a', 'b', 'c']\n"
         "[target]\ncolumn = 'y'\n" +
         target;
}

struct Row {
  std::string person;
  int x, c, y;
};
using Table = std::vector<Row>;

data::Dataset read(const data::TemporaryFolder& folder, const Table& table, bool real) {
  std::string text = "person,x,c,y\n";
  for (const Row& row : table) {
    text += fmt::format("{},{},{},{}\n", row.person, row.x, static_cast<char>('a' + row.c), row.y);
  }
  return data::read_dataset({folder.write("table.csv", text)}, data::encoding_of(schema_text(real)), {});
}

Row any_row(std::string person, std::mt19937_64& random) {
  return {std::move(person), static_cast<int>(random() % 11), static_cast<int>(random() % 3),
          random() % 2 == 0 ? 0 : 10};
}

// Persons p0 to p7, with one row or many, and rows of nobody.
Table any_table(std::mt19937_64& random) {
  Table table;
  for (int row = 0; row < 24; ++row) {
    table.push_back(any_row(random() % 8 == 0 ? std::string() : fmt::format("p{}", random() % 8), random));
  }
  return table;
}

// All rows of p3 hold anything else, are somebody else's who has no other rows, or nobody's.
Table with_another(Table table, std::mt19937_64& random) {
  const std::string other = random() % 2 == 0 ? "p3" : "somebody else";
  for (Row& row : table) {
    if (row.person == "p3") row = any_row(random() % 5 == 0 ? std::string() : other, random);
  }
  return table;
}

// A coin for every person by name, the two who stand for one another having the same.
using Coins = std::map<std::string, bool>;
std::vector<bool> numbered(const Coins& coins, const Table& table) {
  std::vector<std::string> names;
  std::vector<bool> result;
  for (const Row& row : table) {
    if (row.person.empty() || std::ranges::find(names, row.person) != names.end()) continue;
    names.push_back(row.person);
    result.push_back(coins.at(row.person));
  }
  return result;
}

using Sums = std::vector<std::int64_t>;
double distance(const Sums& a, const Sums& b, double power) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(std::abs(static_cast<double>(a[i] - b[i])), power);
  return sum;
}

Task task_for(const schema::Encoding& encoding, bool real, std::size_t rows, Budget budget) {
  Task task;
  task.problem.loss.kind = real ? loss::LossKind::huber : loss::LossKind::logistic;
  task.problem.feasible_set = {loss::SetKind::ball, 5};
  task.facts = facts_of(encoding, task.problem, rows);
  task.budget = budget;
  return task;
}

// What leaves of either part, before noise.
struct Released {
  Sums trains, judges;
};
Released released(const data::Dataset& dataset, const std::vector<bool>& coins, const Task& task,
                  const JudgementPlan& judged) {
  const data::Split parts = data::split_persons(dataset, Sensitive<std::vector<bool>>(coins));
  EXPECT_EQ(parts.chosen.rows(), dataset.rows());
  EXPECT_EQ(parts.rest.rows(), dataset.rows());
  const engine::RowSums &all = SensitiveTestAccess::open(dataset.sums()),
                        &rest = SensitiveTestAccess::open(parts.rest.sums()),
                        &chosen = SensitiveTestAccess::open(parts.chosen.sums());
  EXPECT_EQ(rest.filled_rows() + chosen.filled_rows(), all.filled_rows());
  const std::vector<double> zero(task.facts.dimension, 0.0);
  const FittedModel model{task, std::vector<double>{0.1, 3, 0.5, -0.5, 1}};
  const GradientLattice lattice = gradient_lattice(task.problem.loss, 5, task.facts, engine::Resolution::release);
  return {gradient_on_lattice(rest, task.problem.loss, lattice, zero, engine::Resolution::release, {1}),
          SensitiveTestAccess::open(judged_sums(parts.chosen, model, judged, edges_for(model, judged), {1}))};
}

// One person replaced by any other: one part is the same, whoever has which coin, and the other changes by no more than
// its event says.
TEST(HoldoutByPersons, BruteForceNeighboursChangeOnePartByNoMoreThanItsEventSays) {
  std::mt19937_64 random(4);
  for (const bool real : {false, true}) {
    const data::TemporaryFolder folder, other_folder;
    const auto encoding = data::encoding_of(schema_text(real));
    const Task task = task_for(*encoding, real, 24, {1, 0});
    const JudgementPlan judged = plan_held_out(task, *encoding, 24, {0.4, {.groups = "c"}});
    const auto l1 =
        static_cast<double>(std::get<privacy::DiscreteLaplaceEvent>(judgement_event(judged).mechanism).l1_sensitivity);
    const Plan training =
        plan_for(task_for(*encoding, real, 24, {1, 1e-6}), AlgorithmOptions(GradientDescentOptions{.steps = 1}));
    const double l2 = std::get<privacy::GaussianEvent>(training.events.at(0).mechanism).l2_sensitivity;
    double most_judged = 0, most_trained = 0;
    for (int trial = 0; trial < 150; ++trial) {
      const Table before = any_table(random), after = with_another(before, random);
      Coins coins;
      for (int p = 0; p < 8; ++p) coins[fmt::format("p{}", p)] = random() % 2 == 0;
      coins["somebody else"] = coins["p3"];
      const Released one = released(read(folder, before, real), numbered(coins, before), task, judged);
      const Released two = released(read(other_folder, after, real), numbered(coins, after), task, judged);
      const double judges = distance(one.judges, two.judges, 1),
                   trains = std::sqrt(distance(one.trains, two.trains, 2));
      ASSERT_TRUE(coins["p3"] ? trains == 0 : judges == 0) << "a person is in one part";
      ASSERT_LE(judges, l1);
      ASSERT_LE(trains, l2);
      most_judged = std::max(most_judged, judges), most_trained = std::max(most_trained, trains);
    }
    EXPECT_GT(most_judged, l1 / kUnit) << "the neighbours tried are no harder than one row";
    EXPECT_GT(most_trained, l2 / kUnit);
  }
}

// 400 persons, three rows each, two of which count.
Table threes() {
  std::mt19937_64 random(5);
  Table table;
  for (int row = 0; row < 1200; ++row) table.push_back(any_row(fmt::format("p{}", row % 400), random));
  return table;
}

FitResult run(const Plan& plan, const data::Dataset& dataset, std::uint64_t seed) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits, privacy::Neighbours::replace_one, kUnit);
  return fit(plan, dataset, curator, {{1}, {}});
}

TEST(HoldoutByPersons, ItsGuaranteeIsTheLargerOfTheTwoForAPerson) {
  for (const bool real : {false, true}) {
    const data::TemporaryFolder folder;
    const data::Dataset dataset = read(folder, threes(), real);
    for (const double delta : {1e-6, 0.0}) {
      const Task task = task_for(dataset.encoding(), real, 1200, {1, delta});
      const Plan training = plan_for(task, AlgorithmOptions(OutputDescentOptions{}));
      const Plan plan = with_holdout(training, 1200, {0.25, {}}, dataset.encoding());
      const auto judging = judgement_event(plan.holdout->judgement);
      const double judged = privacy::account(std::vector{judging}, delta).epsilon;
      EXPECT_EQ(plan.guarantee.epsilon, std::max(training.guarantee.epsilon, judged));
      EXPECT_LE(plan.guarantee.epsilon, 1);
      EXPECT_GT(judged, 0.999);
      EXPECT_LE(judged, 1);
      const auto& noise = *plan.holdout->judgement.noise;
      EXPECT_EQ(judging.mechanism, privacy::for_group(noise, kUnit));
      const FitResult result = run(plan, dataset, 1);
      EXPECT_EQ(result.events, plan.events);
    }
  }
}

// With almost no noise the counts are those of whole persons: two rows each, about a quarter of all.
TEST(HoldoutByPersons, TheCountsAreOfTheRowsOfPersonsWhoDidNotTrain) {
  const data::TemporaryFolder folder;
  const data::Dataset dataset = read(folder, threes(), false);
  const Task task = task_for(dataset.encoding(), false, 1200, {900, 1e-6});
  const Plan plan =
      with_holdout(plan_for(task, AlgorithmOptions(OutputDescentOptions{})), 1200, {0.25, {}}, dataset.encoding());
  std::int64_t sum = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FitResult result = run(plan, dataset, seed);
    std::int64_t rows = 0;
    for (const std::int64_t each : result.judgement->sums) rows += each;
    EXPECT_EQ(rows % 2, 0) << "a person in both parts";
    sum += rows;
    const Measures all = evaluated(*result.judgement, plan.task, {}).all;
    EXPECT_NEAR(all.rows, static_cast<double>(rows), 1e-9) << "rows that count, not the public number";
  }
  // 20 draws of 400 coins of a quarter, two rows each: 4000 and a standard deviation of 77.
  EXPECT_NEAR(static_cast<double>(sum), 4000, 400);
}

// Whoever judges, nothing but numbers is told: a part without a row is like any other.
TEST(HoldoutByPersons, OnePersonAloneIsInOnePartAndTheOtherIsBlank) {
  const data::TemporaryFolder folder;
  std::mt19937_64 random(6);
  Table table;
  for (int row = 0; row < 40; ++row) table.push_back(any_row(row < 30 ? "p" : "", random));
  const data::Dataset dataset = read(folder, table, false);
  const Task task = task_for(dataset.encoding(), false, 40, {900, 1e-6});
  const Plan plan =
      with_holdout(plan_for(task, AlgorithmOptions(OutputDescentOptions{})), 40, {0.5, {}}, dataset.encoding());
  bool judged = false, trained = false;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const FitResult result = run(plan, dataset, seed);
    std::int64_t rows = 0;
    for (const std::int64_t each : result.judgement->sums) rows += each;
    EXPECT_TRUE(rows == 0 || rows == 2) << rows;
    (rows == 2 ? judged : trained) = true;
  }
  EXPECT_TRUE(judged && trained);
}

TEST(HoldoutByPersons, AreForRowsReadWithTheUnit) {
  const data::TemporaryFolder folder;
  const data::Dataset dataset = read(folder, threes(), false);
  data::ReadOptions options;
  options.by_unit = false;
  const data::Dataset all = data::read_dataset({folder.path("table.csv")}, dataset.shared_encoding(), options);
  EXPECT_THROW(data::persons_of(all), ArgumentError);
  const auto rows = tests::learnable_table(100, 1, {2}, true, 1);
  EXPECT_THROW(data::persons_of(tests::dataset_of(rows)), ArgumentError);
  const Task task = task_for(dataset.encoding(), false, 900, {1, 1e-6});
  EXPECT_THROW(
      with_holdout(plan_for(task, AlgorithmOptions(OutputDescentOptions{})), 1200, {0.25, {}}, dataset.encoding()),
      ArgumentError)
      << "planned for the rows of the other persons alone, whose number nobody knows";
}

}  // namespace
}  // namespace dperm::methods
