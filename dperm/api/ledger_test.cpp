// SPDX-License-Identifier: Apache-2.0
// What the public API spends is counted.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "dperm/api/people_fixture.hpp"

namespace dperm {
namespace {

using ApiLedger = api::PeopleFixture;

TEST_F(ApiLedger, CountsWhatIsSpent) {
  const std::string path = testing::TempDir() + "dperm_api_ledger.db";
  std::remove(path.c_str());
  Ledger ledger = Ledger::create(path);
  ledger.enlist("people", {.epsilon = 1.5, .delta = 1e-5});
  const Plan planned = plan(task());
  const Model made = fit(planned, people(), {ledger, "people", "monday"});
  EXPECT_NEAR(spent(ledger, "people").epsilon, 1, 1e-3);
  EXPECT_EQ(fit(planned, people(), {ledger, "people", "monday"}).to_json(), made.to_json());
  EXPECT_THROW(fit(planned, people(), {ledger, "people"}), BudgetError);
  EXPECT_NEAR(remaining(ledger, "people").epsilon, 0.5, 1e-3);
  evaluate(made, people(), 0.2, {ledger, "people"});
  EXPECT_NEAR(spent(ledger, "people").epsilon, 1.2, 1e-3);
  EXPECT_TRUE(problems(ledger).empty());
  EXPECT_TRUE(verify(made).passed);
  std::remove(path.c_str());
}

TEST_F(ApiLedger, CountsWhateverOpensRecords) {
  const std::string path = testing::TempDir() + "dperm_api_counted.db";
  std::remove(path.c_str());
  Ledger ledger = Ledger::create(path);
  ledger.enlist("people", {.epsilon = 3, .delta = 1e-5});
  const Charge charge{ledger, "people"};
  const auto total = [&] { return spent(ledger, "people").epsilon; };
  const auto looks = [&] { return ledger.state("people").looks.size(); };
  InferOptions asked{.epsilon = 0.5, .target = "sick", .positive = "yes"};
  const std::string draft =
      "version = 1\n[[column]]\nname = 'age'\n[[column]]\nname = 'city'\n[[column]]\nname = 'sick'\n";
  const InferredSchema found = infer_schema({path_}, draft, asked, charge);
  EXPECT_NEAR(total(), 0.5, 1e-9);
  Task task{.schema = found.schema, .rows = 2000, .budget = {1, 1e-6}};
  task.problem.loss = default_loss(found.schema);
  const Dataset rows = read_dataset({path_}, found.schema);
  const Model made = fit(plan(task), rows, charge);
  EXPECT_NEAR(total(), 1.5, 1e-3) << "the bounds are counted where they were asked for, and not again";
  report(made, rows, 0.25, charge);
  EXPECT_NEAR(total(), 1.75, 1e-3);
  EXPECT_EQ(looks(), 0u);
  report_public(made, rows, charge);
  evaluate_public(made, rows, charge);
  predict(made, rows, charge);
  report(made, rows, 0.25, charge, {.seed = 1});
  asked.seed = 1;
  infer_schema({path_}, draft, asked, charge);
  fit(plan(task), rows, charge, {.seed = 1});
  EXPECT_EQ(looks(), 6u);
  EXPECT_NEAR(total(), 1.75, 1e-3);
  asked.seed.reset();
  asked.epsilon = 2;
  EXPECT_THROW(infer_schema({path_}, draft, asked, charge), BudgetError);
  EXPECT_THROW(report(made, rows, 2, charge), BudgetError);
  EXPECT_THROW(enter(charge, made, "counted by its fit"), ArgumentError);
  enter(charge, fit(plan(task), rows), "before the ledger");
  EXPECT_NEAR(total(), 2.75, 1e-3);
  EXPECT_TRUE(problems(ledger).empty());
  EXPECT_THROW(same_tables(ledger), ArgumentError) << "nothing is kept unless the owner asks for it";
  keep_fingerprints(ledger);
  EXPECT_TRUE(same_tables(ledger).empty());
  ledger.enlist("copy", {.epsilon = 3, .delta = 1e-5});
  ledger.enlist("third", {.epsilon = 3, .delta = 1e-5});
  fit(plan(task), rows, {ledger, "copy"});
  EXPECT_TRUE(same_tables(ledger).empty()) << "of what came before";
  fit(plan(task), rows, {ledger, "third"});
  EXPECT_EQ(same_tables(ledger).size(), 1u);
  std::remove((path + ".fingerprints").c_str());
  std::remove(path.c_str());
}

// Wherever it is ended, a fit is either without a model or done: the last look is before it is settled.
TEST_F(ApiLedger, NoModelIsLostByAnInterrupt) {
  struct Enough : std::exception {};
  const std::string path = testing::TempDir() + "dperm_api_ended.db";
  std::remove(path.c_str());
  Ledger ledger = Ledger::create(path);
  ledger.enlist("people", {.epsilon = 3, .delta = 1e-5});
  const Dataset rows = people();
  const Plan planned = plan(task());
  std::size_t looks = 0;
  {
    const InterruptScope scope([&] { ++looks; });
    fit(planned, rows, {ledger, "people"}, {.threads = 1});
  }
  ASSERT_GT(looks, 2u);
  const InterruptScope scope([&] {
    if (--looks == 0) throw Enough();
  });
  EXPECT_THROW(fit(planned, rows, {ledger, "people"}, {.threads = 1}), Enough);
  EXPECT_EQ(ledger.entries().back().kind, ledger::EntryKind::reserve);
  EXPECT_NEAR(spent(ledger, "people").epsilon, 2, 1e-3);
  std::remove(path.c_str());
}

TEST_F(ApiLedger, AResultThatCannotBeKeptIsReturnedAndTold) {
  const std::string path = testing::TempDir() + "dperm_api_damaged.db";
  std::remove(path.c_str());
  Ledger ledger = Ledger::create(path);
  ledger.enlist("people", {.epsilon = 3, .delta = 1e-5});
  std::vector<std::string> told;
  const Charge charge{ledger, "people", "", [&](const std::string& problem) { told.push_back(problem); }};
  const Dataset rows = people();
  const Plan planned = plan(task());
  std::size_t looks = 0;
  {
    const InterruptScope scope([&] { ++looks; });
    fit(planned, rows, charge, {.threads = 1});
  }
  EXPECT_TRUE(told.empty());
  // The file is damaged when the model is nearly there.
  const InterruptScope scope([&] {
    if (--looks == 0) std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << std::string(100, 'x');
  });
  EXPECT_TRUE(verify(fit(planned, rows, charge, {.threads = 1})).passed);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("entry 5 stays spent"), std::string::npos) << told[0];
  std::remove(path.c_str());
}

TEST_F(ApiLedger, ASchemaThatNamesItsDatasetIsCounted) {
  const std::string path = testing::TempDir() + "dperm_api_named.db";
  std::remove(path.c_str());
  Ledger ledger = Ledger::create(path);
  ledger.enlist("people", {.epsilon = 3, .delta = 1e-5});
  ledger.enlist("others", {.epsilon = 3, .delta = 1e-5});
  Task named = task();
  named.schema.dataset = "people";
  const Dataset rows = read_dataset({path_}, named.schema);
  EXPECT_THROW(fit(plan(named), rows), ArgumentError);
  EXPECT_THROW(fit(plan(named), rows, {ledger, "others"}), ArgumentError);
  EXPECT_EQ(spent(ledger, "others").epsilon, 0);
  fit(plan(named), rows, {ledger, "people"});
  const std::string draft =
      "version = 1\n[ledger]\ndataset = 'people'\n[[column]]\nname = 'age'\n[[column]]\nname = 'sick'\n";
  EXPECT_THROW(infer_schema({path_}, draft, {.epsilon = 0.5, .target = "sick", .positive = "yes"}), ArgumentError);
  std::remove(path.c_str());
}

// Rows that a model is judged on may be its own: where its dataset has a name, silence would go round the ledger.
TEST_F(ApiLedger, RowsThatAModelIsJudgedOnAreNamed) {
  const std::string path = testing::TempDir() + "dperm_api_origin.db";
  std::remove(path.c_str());
  Ledger ledger = Ledger::create(path);
  ledger.enlist("people", {.epsilon = 3, .delta = 1e-5});
  ledger.enlist("unseen", {.epsilon = 3, .delta = 1e-5});
  Task named = task();
  named.schema.dataset = "people";
  const Dataset rows = read_dataset({path_}, named.schema);
  const Model by_schema = fit(plan(named), rows, {ledger, "people"});
  const Model by_mark = fit(plan(task()), people(), {ledger, "people"});
  const Model unnamed = fit(plan(task()), people());
  for (const auto& [model, table] : {std::pair{by_schema, rows}, std::pair{by_mark, people()}}) {
    EXPECT_THROW(evaluate(model, table, 0.1), ArgumentError);
    EXPECT_THROW(report(model, table, 0.1), ArgumentError);
    EXPECT_THROW(evaluate(model, table, 0.1, {.seed = 1}), ArgumentError);
    EXPECT_NO_THROW(evaluate(model, table, 0.1, {.other_rows = true}));
    EXPECT_NO_THROW(report(model, table, 0.1, {.other_rows = true}));
    EXPECT_NO_THROW(evaluate_public(model, table));
    // Named, they may be any dataset's; named and none at a time they cannot be.
    evaluate(model, table, 0.1, {ledger, "unseen"});
    EXPECT_THROW(evaluate(model, table, 0.1, {ledger, "unseen"}, {.other_rows = true}), ArgumentError);
    EXPECT_THROW(report(model, table, 0.1, {ledger, "unseen"}, {.other_rows = true}), ArgumentError);
  }
  EXPECT_NO_THROW(evaluate(unnamed, people(), 0.1));
  EXPECT_NEAR(spent(ledger, "people").epsilon, 2, 1e-3);
  EXPECT_NEAR(spent(ledger, "unseen").epsilon, 0.2, 1e-9);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace dperm
