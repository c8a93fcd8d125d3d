// SPDX-License-Identifier: Apache-2.0
// parse_schema: what it accepts, and that each mistake is named with its line and a way out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "dperm/core/error.hpp"
#include "dperm/schema/draft.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::schema {
namespace {

std::string message_of(const std::string& text) {
  try {
    parse_schema(text, "s.toml");
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

// The message for one [[column]] entry; its first line is line 3 of the file.
std::string column_message(const std::string& body) { return message_of("version = 1\n\n[[column]]\n" + body); }

testing::AssertionResult mentions(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (message.find(part) == std::string::npos) {
      return testing::AssertionFailure() << "'" << part << "' is not in: " << message;
    }
  }
  return testing::AssertionSuccess();
}

constexpr const char* kEveryKey = R"(
version = 1
[format]
delimiter = "\t"
header = false
skip_rows = 2
line_end = "\r"
column_names = ["age", "job", "ok", "gain", "x", "y", "id", "label"]
missing = ["-"]
[target]
column = "label"
kind = "binary"
positive = ["a", " b "]
[[column]]
name = "age"
kind = "integer"
lower = 17
upper = 90
missing = "midpoint"
[[column]]
name = "job"
kind = "category"
values = ["clerk ", "cook", "3", "true"]
other = true
missing = "category"
[[column]]
name = "ok"
kind = "boolean"
missing = "category"
[[column]]
name = "gain"
kind = "real"
lower = 0.0
upper = 1e5
scale = "log"
[[column]]
names = ["x", "y"]
kind = "real"
lower = -1
upper = 1
[[column]]
name = "id"
kind = "ignore"
)";

TEST(ParseSchema, ReadsEveryKey) {
  const Schema schema = parse_schema(kEveryKey, "s.toml");
  EXPECT_EQ(schema.format.delimiter, '\t');
  EXPECT_FALSE(schema.format.header);
  EXPECT_EQ(schema.format.skip_rows, 2);
  EXPECT_EQ(schema.format.line_end, '\r');
  EXPECT_EQ(schema.format.column_names.size(), 8u);
  EXPECT_EQ(schema.format.missing, std::vector<std::string>{"-"});
  EXPECT_EQ(schema.target.kind, TargetKind::binary);
  EXPECT_EQ(schema.target.positive, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(schema.columns.size(), 6u);
  EXPECT_EQ(schema.columns[0].kind, ColumnKind::integer);
  EXPECT_EQ(schema.columns[0].upper, 90);
  EXPECT_EQ(schema.columns[1].values, (std::vector<std::string>{"clerk", "cook", "3", "true"}));
  EXPECT_TRUE(schema.columns[1].other);
  EXPECT_EQ(schema.columns[1].missing, MissingRule::category);
  EXPECT_EQ(schema.columns[2].kind, ColumnKind::boolean);
  EXPECT_EQ(schema.columns[3].scale, Scale::log);
  EXPECT_EQ(schema.columns[5].name, "y");
  EXPECT_EQ(schema.ignored, std::vector<std::string>{"id"});
}

TEST(ParseSchema, DefaultsAreTheDocumentedOnes) {
  const Schema schema = parse_schema(
      "version = 1\n[[column]]\nname = 'c'\nkind = 'category'\nvalues = 'a'\n[[column]]\nname = 'b'\nkind = "
      "'boolean'\n",
      "s");
  EXPECT_EQ(schema.format, TextFormat{});
  EXPECT_EQ(schema.target.kind, TargetKind::none);
  EXPECT_FALSE(schema.columns[0].other);
  EXPECT_EQ(schema.columns[0].missing, MissingRule::none);
  EXPECT_EQ(schema.columns[1].missing, MissingRule::none);
}

TEST(ParseSchema, ARangeNamesColumnsByNumber) {
  const Schema schema =
      parse_schema("version = 1\n[[column]]\nrange = [1, 123]\nkind = 'real'\nlower = 0\nupper = 1\n", "s");
  ASSERT_EQ(schema.columns.size(), 123u);
  EXPECT_EQ(schema.columns.front().name, "1");
  EXPECT_EQ(schema.columns.back().name, "123");
}

TEST(ParseSchema, TargetsOfEveryKind) {
  const std::string column = "\n[[column]]\nname='x'\nkind='boolean'\n";
  EXPECT_EQ(
      parse_schema("version=1\n[target]\ncolumn='y'\nkind='binary'\nthreshold=50000" + column, "s").target.threshold,
      50000);
  EXPECT_EQ(parse_schema("version=1\n[target]\ncolumn='y'\nkind='real'\nlower=-1\nupper=2" + column, "s").target.upper,
            2);
  EXPECT_EQ(parse_schema("version=1\n[target]\ncolumn='y'\nkind='class'\nvalues=['a','b']" + column, "s")
                .target.values.size(),
            2u);
}

TEST(ParseSchema, AMissingBoundSaysWhichAndWhyItMustBePublic) {
  EXPECT_TRUE(mentions(column_message("name = 'age'\nkind = 'real'\nupper = 9\n"),
                       {"s.toml:3:", "column 'age'", "lower is missing", "documentation", "never from the records"}));
  EXPECT_TRUE(mentions(column_message("name = 'age'\nkind = 'real'\nlower = 0\nupper = 'FILL IN'\n"),
                       {"s.toml:7:", "column 'age'", "upper still has to be filled in", "documentation"}));
  EXPECT_TRUE(mentions(column_message("name = 'job'\nkind = 'category'\nvalues = ['FILL IN']\n"),
                       {"s.toml:6:", "column 'job'", "values still has to be filled in", "documentation"}));
}

TEST(ParseSchema, WrongBoundsAreRefused) {
  const std::string head = "name = 'a'\nkind = 'real'\n";
  EXPECT_TRUE(mentions(column_message(head + "lower = 2\nupper = 1\n"), {"s.toml:3:", "less than upper", "Swap"}));
  EXPECT_TRUE(mentions(column_message(head + "lower = 1\nupper = 1\n"), {"less than upper", "ignore"}));
  EXPECT_TRUE(mentions(column_message(head + "lower = nan\nupper = 1\n"), {"finite"}));
  EXPECT_TRUE(mentions(column_message(head + "lower = 0\nupper = inf\n"), {"finite"}));
  EXPECT_TRUE(mentions(column_message(head + "lower = 0\nupper = inf\nscale = 'log'\n"), {"finite"}));
  EXPECT_TRUE(mentions(column_message(head + "lower = -1e308\nupper = 1e308\nscale = 'log'\n"), {"log", "finite"}));
  EXPECT_TRUE(mentions(column_message(head + "lower = 0\nupper = 5e-324\n"), {"too close"}));
  EXPECT_TRUE(mentions(column_message(head + "lower = '0'\nupper = 1\n"), {"lower must be a number without quotes"}));
  EXPECT_EQ(column_message(head + "lower = -1e308\nupper = 1e308\n"), "no error");
}

TEST(ParseSchema, UnknownWordsNameTheNearestKnownOne) {
  EXPECT_TRUE(mentions(column_message("name = 'a'\nkind = 'real'\nlower = 0\nuper = 1\nupper = 1\n"),
                       {"s.toml:7:", "unknown key 'uper'", "'upper'"}));
  EXPECT_TRUE(mentions(column_message("name = 'a'\nkind = 'catgory'\n"), {"s.toml:5:", "did you mean 'category'"}));
  EXPECT_TRUE(mentions(message_of("version = 1\n[fromat]\n"), {"s.toml:2:", "unknown key 'fromat'", "'format'"}));
  EXPECT_TRUE(
      mentions(message_of("version = 1\n[target]\ncolumn='y'\nkind='bool'\n"), {"s.toml:4:", "binary, real, class"}));
  EXPECT_TRUE(mentions(column_message("name = 'a'\nkind = 'boolean'\nlower = 0\n"), {"unknown key 'lower'"}));
}

TEST(ParseSchema, DuplicatesAreRefused) {
  const std::string entry = "[[column]]\nname = 'a'\nkind = 'boolean'\n";
  EXPECT_TRUE(mentions(message_of("version = 1\n" + entry + entry), {"s.toml:5:", "already declared on line 2"}));
  EXPECT_TRUE(mentions(message_of("version = 1\n[target]\ncolumn = 'a'\nkind = 'real'\nlower = 0\nupper = 1\n" + entry),
                       {"s.toml:7:", "'a' is the target"}));
  EXPECT_TRUE(
      mentions(column_message("name = 'a'\nkind = 'category'\nvalues = ['x', ' x']\n"), {"'x' is listed twice"}));
  EXPECT_TRUE(
      mentions(message_of("version = 1\n[target]\ncolumn = 'y'\nkind = 'class'\nvalues = ['+1', '1']\n" + entry),
               {"listed twice"}));
  EXPECT_EQ(column_message("name = 'a'\nkind = 'category'\nvalues = ['+1', '1']\n"), "no error");
}

TEST(ParseSchema, ValueListsMustMakeSense) {
  EXPECT_TRUE(mentions(column_message("name = 'a'\nkind = 'category'\nvalues = []\n"), {"at least one value"}));
  EXPECT_TRUE(mentions(column_message("name = 'a'\nkind = 'category'\nvalues = ['NA', 'EU']\n"),
                       {"'NA' is also one of the texts for a missing cell", "[format]"}));
  EXPECT_TRUE(mentions(column_message("name = 'a'\nkind = 'category'\nvalues = [1979-05-27]\n"), {"texts in quotes"}));
  EXPECT_TRUE(mentions(message_of("version = 1\n[target]\ncolumn='y'\nkind='class'\nvalues=['a']\n"), {"two classes"}));
  EXPECT_TRUE(mentions(message_of("version = 1\n[target]\ncolumn='y'\nkind='binary'\n"), {"positive is missing"}));
  EXPECT_TRUE(mentions(message_of("version = 1\n[target]\ncolumn='y'\nkind='binary'\npositive='a'\nthreshold=1\n"),
                       {"not both"}));
  EXPECT_TRUE(mentions(message_of("version = 1\n[target]\ncolumn='y'\nkind='binary'\nthreshold=nan\n"), {"finite"}));
}

TEST(ParseSchema, TooManyWeightsAreRefusedQuickly) {
  EXPECT_TRUE(
      mentions(column_message("range = [1, 2000000]\nkind = 'real'\nlower = 0\nupper = 1\n"), {"1000000", "range"}));
  EXPECT_TRUE(
      mentions(column_message("range = [0, 999999]\nkind = 'real'\nlower = 0\nupper = 1\n"), {"1000000 weights"}));
  EXPECT_TRUE(mentions(column_message("range = [1, 400000]\nkind = 'category'\nvalues = ['a', 'b', 'c']\n"),
                       {"1000000 weights"}));
  EXPECT_EQ(column_message("range = [1, 999999]\nkind = 'real'\nlower = 0\nupper = 1\n"), "no error");
}

// What an entry says is copied for each of its names.
TEST(ParseSchema, AKilobyteDoesNotBecomeGigabytes) {
  const std::string real = "kind = 'real'\nlower = 0\nupper = 1\n", many = "range = [1, 999999]\n" + real;
  EXPECT_TRUE(mentions(column_message(many + "description = '" + std::string(300, 'a') + "'\n"), {"768 MiB"}));
  EXPECT_TRUE(mentions(column_message(many + "strip = ['" + std::string(3000, '%') + "']\n"), {"768 MiB"}));
  std::string ignored;
  for (int i = 1; i < 9; ++i) {
    ignored += fmt::format("[[column]]\nrange = [{0}000000, {0}999999]\nkind = 'ignore'\n", i);
  }
  EXPECT_TRUE(mentions(message_of("version = 1\n" + ignored), {"s.toml:17:", "columns '6000000' to", "768 MiB"}));
  const std::string draft = "version = 1\n[[column]]\nrange = [1, 999999]\n";
  EXPECT_THROW(Draft::parse(draft, "draft"), DataError);
  EXPECT_THROW(Draft::of_columns(std::vector<std::string>(300000, "a"), {}), DataError);
  std::string dates =
      "version = 1\n[[column]]\nname = 'd'\nkind = 'date'\nlower = 1990-01-01\nupper = 2000-01-01\nformat = [";
  for (int i = 0; i < 50; ++i) dates += fmt::format("'%Y/%m/%d {:03000}', ", i);
  dates += "]\n";
  for (int i = 0; i < 6000; ++i) {
    dates += fmt::format("[[column]]\nname = '{}'\nkind = 'days'\nfrom = 'd'\nto = 'e'\nlower = 0\nupper = 9\n", i);
  }
  EXPECT_TRUE(mentions(message_of(dates), {"768 MiB"}));
}

TEST(ParseSchema, FormatIsChecked) {
  const auto message = [](const std::string& body) { return message_of("version = 1\n[format]\n" + body); };
  EXPECT_TRUE(mentions(message("delimiter = ';;'\n"), {"s.toml:3:", "one character"}));
  EXPECT_TRUE(mentions(message("header = false\n"), {"s.toml:2:", "column_names"}));
  EXPECT_TRUE(mentions(message("header = false\ncolumn_names = ['a', 'a']\n"), {"twice"}));
  EXPECT_TRUE(mentions(message("column_names = ['a']\n"), {"header = false"}));
  EXPECT_TRUE(mentions(message("skip_rows = -1\n"), {"s.toml:3:", "skip_rows"}));
  EXPECT_TRUE(mentions(message("delimiter = '\"'\n"), {"quote"}));
  for (const char* end : {"''", "'r'", "\"\\r\\n\""}) {
    EXPECT_TRUE(mentions(message("line_end = " + std::string(end) + "\n"), {"line_end must be", "\\r"})) << end;
  }
  EXPECT_TRUE(mentions(message("header = 'no'\n"), {"true or false"}));
}

TEST(ParseSchema, ARealTargetMayStandAlone) {
  const std::string target = "version = 1\n[target]\ncolumn = 'y'\nkind = 'real'\nlower = 0\nupper = 1\n";
  for (const std::string& text : {target, target + "[[column]]\nname = 'a'\nkind = 'ignore'\n"}) {
    const Schema schema = parse_schema(text, "s.toml");
    EXPECT_TRUE(schema.columns.empty());
    EXPECT_EQ(parse_schema(to_toml(schema), "again").ignored, schema.ignored);
  }
  EXPECT_TRUE(mentions(message_of("version = 1\n[target]\ncolumn = 'y'\nkind = 'binary'\npositive = ['a']\n"),
                       {"no [[column]] entry"}));
}

TEST(ParseSchema, TheWholeFileIsChecked) {
  EXPECT_TRUE(mentions(message_of(""), {"s.toml", "version = 1"}));
  EXPECT_TRUE(mentions(message_of("version = 2\n"), {"s.toml:1:", "version 2 is unknown"}));
  EXPECT_TRUE(mentions(message_of("version = 1\n"), {"no [[column]] entry"}));
  EXPECT_TRUE(mentions(message_of("version = 1\n[column]\nname = 'a'\n"), {"two brackets"}));
  EXPECT_TRUE(mentions(message_of("version = 1\nlower = \n"), {"s.toml:2:", "not valid TOML"}));
  EXPECT_TRUE(mentions(message_of("version = 1\n[[column]]\nname='a'\nkind='ignore'\n"), {"at least one feature"}));
  EXPECT_TRUE(mentions(column_message("kind = 'real'\n"), {"exactly one of name"}));
  EXPECT_TRUE(mentions(column_message("name = ' a'\nkind = 'boolean'\n"), {"blank"}));
  EXPECT_TRUE(mentions(column_message("name = 'a'\n"), {"kind is missing"}));
  EXPECT_TRUE(mentions(message_of("version = 1\ntarget = 3\n"), {"[target]"}));
}

TEST(ParseSchema, AnUnreadableFileSaysHowToMakeOne) {
  try {
    read_schema("/nowhere/schema.toml");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_TRUE(mentions(error.what(), {"/nowhere/schema.toml", "dperm schema init"}));
  }
}

}  // namespace
}  // namespace dperm::schema
