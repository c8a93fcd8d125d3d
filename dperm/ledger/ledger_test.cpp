// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/ledger.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::ledger {
namespace {

class LedgerFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "ledgerXXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/ledger.db";
    Ledger::create(path_).enlist("people", {.epsilon = 2, .delta = 1e-5});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Request request(double epsilon, double delta = 1e-6) {
    return {.command = "fit", .epsilon = epsilon, .delta = delta};
  }
  Spent total(const std::string& dataset = "people") { return spent(Ledger::open(path_).state(dataset)); }
  void edit(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
  }

  std::string folder_, path_;
};

std::string message(const std::function<void()>& run) {
  try {
    run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST_F(LedgerFile, WhatIsReservedIsSpentWhetherSettledOrNot) {
  Ledger ledger = Ledger::open(path_);
  const Mark first = ledger.reserve("people", request(0.5));
  ledger.settle(first, "a model");
  ledger.reserve("people", request(0.7));
  EXPECT_NEAR(total().epsilon, 1.2, 1e-9);
  EXPECT_NEAR(total().delta, 2e-6, 1e-15);
  const DatasetState state = ledger.state("people");
  ASSERT_EQ(state.requests.size(), 2u);
  EXPECT_GT(state.requests[0].settled, 0u);
  EXPECT_EQ(state.requests[1].settled, 0u);
}

TEST_F(LedgerFile, ARefusalCostsNothingAndSaysWhatFits) {
  Ledger ledger = Ledger::open(path_);
  ledger.reserve("people", request(1.69));
  const auto before = ledger.entries();
  const std::string said = message([&] { ledger.reserve("people", request(1)); });
  EXPECT_NE(said.find("epsilon 1.69 of 2"), std::string::npos) << said;
  EXPECT_NE(said.find("Epsilon at most 0.31 at this delta would fit."), std::string::npos) << said;
  EXPECT_THROW(ledger.reserve("people", request(1)), BudgetError);
  EXPECT_EQ(ledger.entries(), before);
  ledger.reserve("people", request(0.31));
  EXPECT_NE(message([&] { ledger.reserve("people", request(0.1)); }).find("Nothing more fits"), std::string::npos);
  EXPECT_THROW(ledger.require_room("people", 0.1, 0), BudgetError);
}

TEST_F(LedgerFile, ADeltaThatDoesNotFitIsToldApart) {
  Ledger ledger = Ledger::open(path_);
  const std::string said = message([&] { ledger.reserve("people", request(1, 1e-4)); });
  EXPECT_NE(said.find("Epsilon at most 1 at a delta of at most 1e-05 would fit."), std::string::npos) << said;
}

TEST_F(LedgerFile, WhatFitsIsFoundOverTheRequestsOwnPlans) {
  Ledger ledger = Ledger::open(path_);
  ledger.enlist("many", {.epsilon = 1, .delta = 1e-6, .currency = Currency::gaussian});
  Request wanted = request(2);
  wanted.at = [](double epsilon) {
    return std::vector<privacy::PrivacyEvent>{{.what = "x", .mechanism = privacy::GaussianEvent{epsilon / 4, 1}}};
  };
  wanted.events = wanted.at(2);
  const std::string said = message([&] { ledger.reserve("many", wanted); });
  const std::string words = "Epsilon at most ";
  ASSERT_NE(said.find(words), std::string::npos) << said;
  // The main region has a quarter of delta.
  const double most = 4 * privacy::mu_for(1, 0.25e-6), told = std::stod(said.substr(said.find(words) + words.size()));
  EXPECT_LE(told, most);
  EXPECT_GT(told, 0.99 * most);
}

TEST_F(LedgerFile, ACapCannotBeChanged) {
  EXPECT_THROW(Ledger::open(path_).enlist("people", {.epsilon = 9, .delta = 1e-5}), ArgumentError);
  EXPECT_THROW(Ledger::open(path_).enlist("a\nb", {.epsilon = 9, .delta = 1e-5}), ArgumentError);
  EXPECT_NE(message([&] { Ledger::open(path_).state("peple"); }).find("did you mean 'people'"), std::string::npos);
}

TEST_F(LedgerFile, ARequestsNameMeansOneRequest) {
  Ledger ledger = Ledger::open(path_);
  Request named = request(0.5);
  named.id = "monday";
  named.text = "fit a";
  const Mark lost = ledger.reserve("people", named);
  EXPECT_EQ(ledger.result("people", "monday", "fit a"), std::nullopt);  // never came to its end
  const Mark done = ledger.reserve("people", named);                    // so it is charged again
  EXPECT_NE(lost.entry, done.entry);
  ledger.settle(done, "the model");
  EXPECT_EQ(ledger.result("people", "monday", "fit a"), "the model");
  EXPECT_EQ(ledger.result("people", "tuesday", "fit a"), std::nullopt);
  EXPECT_THROW(ledger.result("people", "monday", "fit b"), ArgumentError);
  EXPECT_NEAR(total().epsilon, 1.0, 1e-9);
}

TEST_F(LedgerFile, SharedReleasesCountOnce) {
  Ledger ledger = Ledger::open(path_);
  Request with_bounds = request(0.5);
  with_bounds.shared = {{"bounds", 0.2, 1e-7}};
  ledger.reserve("people", with_bounds);
  ledger.reserve("people", with_bounds);
  EXPECT_NEAR(total().epsilon, 1.2, 1e-9);
  // Inferred under the ledger: counted there, and not again.
  ledger.settle(ledger.reserve("people", request(0.3)), "schema", "later bounds");
  with_bounds.shared = {{"later bounds", 0.3, 1e-7}};
  ledger.reserve("people", with_bounds);
  EXPECT_NEAR(total().epsilon, 2.0, 1e-9);
}

TEST_F(LedgerFile, EarlierSpendingIsCountedWhateverTheCapSays) {
  Ledger ledger = Ledger::open(path_);
  const Mark mark = ledger.enter("people", {.note = "means of 2023", .epsilon = 0.5, .delta = 1e-6});
  EXPECT_EQ(mark.head, ledger.entries().back().digest) << "an entry of the chain like any other";
  EXPECT_NEAR(total().epsilon, 0.5, 1e-9);
  EXPECT_NEAR(total().delta, 1e-6, 1e-15);
  EXPECT_NEAR(room(ledger.state("people")).epsilon, 1.5, 1e-6);
  EXPECT_THROW(ledger.reserve("people", request(1.6)), BudgetError);
  ledger.enter("people", {.note = "the report", .epsilon = 3});
  EXPECT_NEAR(total().epsilon, 3.5, 1e-9) << "it happened, so the cap does not refuse it";
  EXPECT_EQ(room(ledger.state("people")).epsilon, 0);
  EXPECT_THROW(ledger.require_room("people", 0.01, 0), BudgetError);
  EXPECT_THROW(ledger.reserve("people", request(0.01)), BudgetError);
  EXPECT_TRUE(ledger.problems().empty());
  EXPECT_THROW(ledger.enter("people", {.note = "", .epsilon = 1}), ArgumentError);
  EXPECT_THROW(ledger.enter("people", {.note = "two\nlines", .epsilon = 1}), ArgumentError);
  EXPECT_THROW(ledger.enter("people", {.note = "free", .epsilon = 0}), ArgumentError);
  EXPECT_THROW(ledger.enter("people", {.note = "negative", .epsilon = -1, .delta = 0.1}), ArgumentError);
  EXPECT_THROW(ledger.enter("nobody", {.note = "who", .epsilon = 1}), ArgumentError);
}

TEST_F(LedgerFile, EarlierReleasesCountOnce) {
  Ledger ledger = Ledger::open(path_);
  const SharedRelease bounds{"bounds", 0.25, 1e-7};
  ledger.enter("people", {.note = "a", .release = "digest a", .epsilon = 0.5, .shared = {bounds}});
  EXPECT_THROW(ledger.enter("people", {.note = "a again", .release = "digest a", .epsilon = 0.5}), ArgumentError);
  ledger.enter("people", {.note = "b", .release = "digest b", .epsilon = 0.5, .shared = {bounds}});
  EXPECT_NEAR(total().epsilon, 1.25, 1e-9) << "the bounds that both rest on are counted once";
  Request resting = request(0.5);
  resting.shared = {bounds};
  ledger.reserve("people", resting);
  EXPECT_NEAR(total().epsilon, 1.75, 1e-9);
}

TEST_F(LedgerFile, WhatWasUnprotectedIsALookOfItsOwnAndEnteredOnce) {
  Ledger ledger = Ledger::open(path_);
  const Mark exact = ledger.enter("people", {.note = "exact", .release = "digest a", .unprotected = true});
  const Mark seeded =
      ledger.enter("people", {.note = "seeded", .release = "digest b", .epsilon = 0.5, .unprotected = true});
  EXPECT_NEAR(total().epsilon, 0.5, 1e-9);
  const std::vector<Look> looks = ledger.state("people").looks;
  ASSERT_EQ(looks.size(), 2u);
  EXPECT_EQ(looks[0].entry, exact.entry);
  EXPECT_EQ(looks[1].entry, seeded.entry);
  const auto before = ledger.entries();
  for (const char* release : {"digest a", "digest b"}) {
    EXPECT_THROW(ledger.enter("people", {.note = "again", .release = release, .epsilon = 0.5, .unprotected = true}),
                 ArgumentError);
  }
  EXPECT_EQ(ledger.entries(), before) << "a refusal leaves nothing behind";
}

TEST_F(LedgerFile, LooksAreShownAndPublishingOneEndsEveryPromise) {
  Ledger ledger = Ledger::open(path_);
  const Mark look = ledger.look("people", "schema check");
  const Mark seeded = ledger.look("people", "fit --seed", true);
  EXPECT_EQ(total().epsilon, 0);
  EXPECT_EQ(ledger.state("people").looks.size(), 2u);
  EXPECT_THROW(ledger.publish(1), ArgumentError);
  ledger.publish(seeded.entry);
  EXPECT_TRUE(std::isinf(total().epsilon));
  EXPECT_THROW(ledger.reserve("people", request(0.1)), BudgetError);
  EXPECT_FALSE(ledger.state("people").looks[0].published);
  EXPECT_EQ(look.entry + 1, seeded.entry);
}

TEST_F(LedgerFile, APersonsCapNeedsPersons) {
  Ledger ledger = Ledger::open(path_);
  ledger.enlist("visits", {.epsilon = 1, .delta = 1e-6, .unit = {"patient", {"NA", ""}}});
  EXPECT_THROW(ledger.reserve("visits", request(0.1)), BudgetError);
  Request persons = request(0.1);
  persons.unit = {"patient", {"", "NA"}};
  ledger.reserve("visits", persons);
  // A row that changes its person changes the rows of two.
  EXPECT_THROW(ledger.reserve("people", persons), BudgetError);
  persons.unit = {"doctor", {"", "NA"}};
  EXPECT_THROW(ledger.reserve("visits", persons), BudgetError);
  // Whose rows these are depends on which texts name nobody.
  for (const std::vector<std::string>& nobody : {std::vector<std::string>{}, {""}, {"", "NA", "unknown"}}) {
    persons.unit = {"patient", nobody};
    EXPECT_NE(message([&] { ledger.reserve("visits", persons); }).find("--missing"), std::string::npos);
  }
  EXPECT_NEAR(total("visits").epsilon, 0.1, 1e-12);
}

TEST_F(LedgerFile, NothingIsTakenBack) {
  Ledger ledger = Ledger::open(path_);
  for (const auto& [epsilon, delta] : {std::pair{-1.0, 0.0}, {0.1, -0.5}, {-HUGE_VAL, 0.0}, {std::nan(""), 0.0}}) {
    Request forged = request(0.1);
    forged.shared = {{"0123456789abcdef", epsilon, delta}};
    EXPECT_THROW(ledger.reserve("people", forged), ArgumentError);
  }
}

TEST_F(LedgerFile, AnEditShows) {
  Ledger::open(path_).reserve("people", request(1.5));
  ASSERT_TRUE(Ledger::open(path_).problems().empty());
  edit("UPDATE entry SET body = replace(body, '1.5', '0.5') WHERE kind = 'reserve'");
  EXPECT_NE(message([&] { Ledger::open(path_).states(); }).find("entry 3 does not follow"), std::string::npos);
  EXPECT_THROW(Ledger::open(path_).reserve("people", request(0.1)), DataError);
  EXPECT_FALSE(Ledger::open_to_read(path_).problems().empty());
}

TEST_F(LedgerFile, ARemovedEntryShows) {
  Ledger ledger = Ledger::open(path_);
  ledger.reserve("people", request(0.5));
  ledger.reserve("people", request(0.5));
  edit("DELETE FROM entry WHERE number = 3");
  EXPECT_THROW(ledger.states(), DataError);
}

TEST_F(LedgerFile, AnEditBesideTheEntriesShows) {
  Request asked = request(0.5);
  asked.id = "monday";
  asked.text = "words";
  Ledger::open(path_).settle(Ledger::open(path_).reserve("people", asked), "a model");
  EXPECT_EQ(Ledger::open(path_).result("people", "monday", "words"), "a model");
  ASSERT_TRUE(Ledger::open(path_).problems().empty());
  edit("UPDATE result SET content = 'another model'");
  EXPECT_THROW(Ledger::open(path_).result("people", "monday", "words"), DataError);
  EXPECT_EQ(Ledger::open(path_).problems().size(), 1u);
  edit("UPDATE result SET content = 'a model'");
  edit("UPDATE meta SET value = '00' WHERE key = 'id'");
  EXPECT_THROW(Ledger::open(path_).states(), DataError);
}

TEST_F(LedgerFile, OtherTablesViewsAndTriggersAreRefused) {
  for (const char* sql :
       {"CREATE TRIGGER gone AFTER INSERT ON entry BEGIN DELETE FROM entry WHERE number = NEW.number; END",
        "CREATE TABLE more(x)", "ALTER TABLE result RENAME TO results",
        "DROP TABLE entry; CREATE VIEW entry AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
        "FROM n) SELECT i AS number, '' AS kind, '' AS dataset, '' AS time, '' AS nonce, '' AS body, '' "
        "AS previous, '' AS digest FROM n"}) {
    std::filesystem::copy_file(path_, folder_ + "/whole.db", std::filesystem::copy_options::overwrite_existing);
    edit(sql);
    EXPECT_NE(message([&] { Ledger::open(path_); }).find("its tables are not those"), std::string::npos) << sql;
    EXPECT_THROW(Ledger::open_to_read(path_), DataError);
    std::filesystem::copy_file(folder_ + "/whole.db", path_, std::filesystem::copy_options::overwrite_existing);
  }
}

// Two that ask at the same time: both find no result, and only the first may have the name.
TEST_F(LedgerFile, ARequestsNameIsCheckedWhenItIsCharged) {
  Ledger ledger = Ledger::open(path_);
  Request first = request(0.5), second = request(0.25);
  first.id = second.id = "monday";
  first.text = "epsilon 0.5";
  second.text = "epsilon 0.25";
  ledger.reserve("people", first);
  EXPECT_NE(message([&] { ledger.reserve("people", second); }).find("was another one"), std::string::npos);
  EXPECT_NEAR(total().epsilon, 0.5, 1e-9);
  ledger.reserve("people", first);  // never came to its end: charged anew
  EXPECT_NEAR(total().epsilon, 1, 1e-9);
}

// What is written must be readable as JSON, and as one line.
TEST_F(LedgerFile, WordsAreLinesOfUtf8) {
  Ledger ledger = Ledger::open(path_);
  const auto before = ledger.entries();
  for (const char* word : {"caf\xe9", "two\nlines", "\x1b[31mred"}) {
    EXPECT_THROW(ledger.enlist(word, {.epsilon = 1, .delta = 1e-6}), ArgumentError);
    EXPECT_THROW(ledger.enlist("others", {.epsilon = 1, .delta = 1e-6, .unit = {word}}), ArgumentError);
    EXPECT_THROW(ledger.enter("people", {.note = word, .epsilon = 1}), ArgumentError);
    Request named = request(0.1);
    named.id = word;
    EXPECT_THROW(ledger.reserve("people", named), ArgumentError);
    EXPECT_THROW(ledger.result("people", word, ""), ArgumentError);
  }
  EXPECT_THROW(ledger.result("people", std::string(201, 'a'), ""), ArgumentError);
  EXPECT_EQ(ledger.entries(), before);
  ledger.enlist("caf\xc3\xa9", {.epsilon = 1, .delta = 1e-6});
}

TEST_F(LedgerFile, ARestoredCopyHasAnotherHead) {
  std::filesystem::copy_file(path_, folder_ + "/copy.db");
  const Mark mark = Ledger::open(path_).reserve("people", request(0.5));
  std::filesystem::copy_file(folder_ + "/copy.db", path_, std::filesystem::copy_options::overwrite_existing);
  const Mark other = Ledger::open(path_).reserve("people", request(0.5));
  EXPECT_EQ(mark.entry, other.entry);
  EXPECT_NE(mark.head, other.head);
}

TEST_F(LedgerFile, CostsThatDoNotFollowFromReleasesShow) {
  Request request{.command = "fit", .epsilon = 0.1, .delta = 1e-6};
  request.events = {{.what = "x", .mechanism = privacy::GaussianEvent{1, 4.3}}};  // epsilon 0.98 at 1e-6
  Ledger::open(path_).reserve("people", request);
  const auto problems = Ledger::open(path_).problems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("entry 3"), std::string::npos);
}

TEST_F(LedgerFile, OtherFilesAreRefused) {
  EXPECT_THROW(Ledger::create(path_), DataError);
  EXPECT_THROW(Ledger::open(folder_ + "/none.db"), DataError);
  std::ofstream(folder_ + "/text") << "this is no database, whatever its name may say; it has some length";
  EXPECT_THROW(Ledger::open(folder_ + "/text"), DataError);
  std::ofstream(folder_ + "/empty").close();
  EXPECT_THROW(Ledger::open(folder_ + "/empty"), DataError);
  std::filesystem::permissions(folder_ + "/empty", std::filesystem::perms(0644));
  Ledger::create(folder_ + "/empty");  // what is left of an attempt that was killed
  for (const std::string& each : {path_, folder_ + "/empty"}) {
    struct stat status{};
    ASSERT_EQ(stat(each.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
  }
  std::filesystem::create_symlink(folder_ + "/nowhere", folder_ + "/link");
  EXPECT_THROW(Ledger::create(folder_ + "/link"), DataError);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/nowhere"));
}

}  // namespace
}  // namespace dperm::ledger
