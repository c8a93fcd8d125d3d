// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/inspect.hpp"

#include <gtest/gtest.h>

#include <random>

#include "dperm/data/column_story.hpp"
#include "dperm/data/identifiers.hpp"
#include "dperm/data/number_story.hpp"
#include "dperm/data/source/judged_column.hpp"
#include "dperm/schema/encoding.hpp"
#include "tests/support/reading.hpp"

namespace dperm::data {
namespace {

TEST(ColumnStory, SignaturesAreEqualUpToNames) {
  ColumnStory a({}, false), b({}, false), c({}, false);
  const std::vector<std::int32_t> one = {5, 5, 7, 1, 7}, same = {0, 0, 9, 3, 9}, other = {0, 0, 9, 3, 3};
  a.add(one, one);
  b.add(std::span(same).first(2), same);  // where batches begin does not matter
  b.add(std::span(same).subspan(2), same);
  c.add(other, other);
  EXPECT_EQ(a.signature(), b.signature());
  EXPECT_NE(a.signature(), c.signature());
  EXPECT_EQ(a.distinct(), 3u);
}

// In a small table columns agree by chance; a rare class in a large one does not.
TEST(ColumnStory, WhatAgreesByChanceTellsNothing) {
  const auto story = [](int rows, int others) {
    ColumnStory result({2, false}, false);
    for (int i = 0; i < rows; ++i) {
      const std::int32_t value[] = {i % (rows / others) == 0 ? 1 : 0};
      result.add(value, value);
    }
    return result;
  };
  EXPECT_FALSE(story(12, 6).is_telling()) << "924 ways to choose";
  EXPECT_FALSE(story(12, 6).gives_target());
  EXPECT_TRUE(story(40, 20).is_telling());
  EXPECT_TRUE(story(40, 20).gives_target());
  EXPECT_TRUE(story(10'000, 5).is_telling());
  EXPECT_TRUE(story(10'000, 5).gives_target()) << "a copy of a rare class";
}

TEST(ColumnStory, OneCutGivesTheTargetAndNoiseDoesNot) {
  std::mt19937_64 random(3);
  ColumnStory cut({2, false}, true), noise({2, false}, true), names({2, false}, false);
  for (int i = 0; i < 5000; ++i) {
    const std::int32_t q[] = {static_cast<std::int32_t>(random() % 65535) - 32767};
    const std::int32_t other[] = {static_cast<std::int32_t>(random() % 65535) - 32767};
    const std::int32_t y[] = {q[0] > 1000 ? 0 : 1};
    const std::int32_t row[] = {i};
    cut.add(q, y);
    noise.add(other, y);
    names.add(row, y);
  }
  EXPECT_TRUE(cut.gives_target());
  EXPECT_FALSE(noise.gives_target());
  EXPECT_FALSE(names.gives_target()) << "a name of each row is no copy";
}

// Rare values far away are why bounds are wide; the commonest value does not tell.
TEST(NumberStory, BoundsAreTooWideWhereRowsDifferInASmallPart) {
  const auto narrow = [](double other, double rare) {
    NumberStory story(0, 100, schema::Scale::linear);
    for (int i = 0; i < 10'000; ++i) story.add(i % 2000 == 7 ? rare : i % 100 == 3 ? other : 0);
    return story.is_narrow();
  };
  EXPECT_TRUE(narrow(1, 1));
  EXPECT_TRUE(narrow(1, 50)) << "five rows far away are outliers of a hundred that differ";
  EXPECT_FALSE(narrow(0, 50)) << "five rows far away are all that differ";
  EXPECT_FALSE(narrow(0, 0)) << "one value";
  EXPECT_FALSE(narrow(40, 40));
}

TEST(Inspection, SeveralFilesAndThreadsGiveTheSame) {
  const TemporaryFolder folder;
  std::string text = "x,y\n";
  for (int i = 0; i < 300; ++i) text += std::to_string(i % 10) + "," + std::to_string(i % 3) + "\n";
  const auto encoding = encoding_of(
      "[target]\ncolumn='y'\nkind='class'\nvalues=[0,1,2,3]\n[[column]]\nname='x'\nkind='real'\nlower=20\nupper=30\n");
  ReadOptions one;
  one.threads = 1;
  for (const ReadOptions& options : {ReadOptions{}, one}) {
    const Inspection found =
        inspect_dataset({folder.write("a.csv", text), folder.write("b.csv", text)}, *encoding, options);
    EXPECT_EQ(found.report.rows, 600u);
    ASSERT_EQ(found.classes.size(), 4u);
    EXPECT_EQ(found.classes[1].rows, 200u);
    EXPECT_EQ(found.classes[3].rows, 0u);
    ASSERT_EQ(found.alarms.size(), 1u);
    EXPECT_EQ(found.alarms[0].kind, AlarmKind::out_of_bounds);
    EXPECT_EQ(found.alarms[0].count, 600u);
  }
}

TEST(JudgedColumn, NamesOfIdentifiers) {
  for (const char* name :
       {"id", "ID", "patient_nbr", "encounterId", "PatientID", "uuid", "user-id", "id2", "person", "the_patient"}) {
    EXPECT_TRUE(names_identifier(name)) << name;
  }
  for (const char* name :
       {"", "age", "idle", "paid", "video", "width", "nbrs", "humidity", "person_years", "persons", "users"}) {
    EXPECT_FALSE(names_identifier(name)) << name;
  }
}

TEST(Identifiers, ArePersonsThatTheSchemaDoesNotMention) {
  const auto encoding = encoding_of(
      "[target]\ncolumn='user'\nkind='binary'\npositive=1\n[[column]]\nname='member'\nkind='category'\nvalues=['a']\n"
      "[[column]]\nnames=['customer', 'client']\nkind='integer'\nlower=1\nupper=1000\n"
      "[[column]]\nname='subject'\nkind='identifier'\n[[column]]\nname='patient'\nkind='ignore'\n");
  const std::vector<std::string> names = {"user",    "member",    "customer",   "client",   "subject",
                                          "patient", "person_id", "state_code", "group_id", "person_id"};
  using Names = std::vector<std::string>;
  EXPECT_EQ(undeclared_identifiers(names, encoding->schema(), 1001), (Names{"patient", "person_id"}));
  EXPECT_EQ(undeclared_identifiers(names, encoding->schema(), 1000),
            (Names{"customer", "client", "patient", "person_id"}));
}

}  // namespace
}  // namespace dperm::data
