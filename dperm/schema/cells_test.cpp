// SPDX-License-Identifier: Apache-2.0
// Schemas with values of every type, styles of numbers and dates: read, written, refused, and what cells become.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dperm/core/error.hpp"
#include "dperm/schema/encoding.hpp"
#include "dperm/schema/schema.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm::schema {
namespace {

const std::string kColumn = "[[column]]\nname = 'x'\nkind = 'boolean'\n";

Schema parsed(const std::string& body) { return parse_schema("version = 1\n" + body, "s.toml"); }

std::string refusal(const std::string& body) {
  try {
    parsed(body);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

// The same schema comes back from its own text, and the text is the same again.
void expect_round_trip(const Schema& schema) {
  const std::string text = to_toml(schema);
  EXPECT_EQ(parse_schema(text, "again"), schema) << text;
  EXPECT_EQ(to_toml(parse_schema(text, "again")), text);
}

std::string target(const std::string& keys) { return "[target]\ncolumn = 'y'\n" + keys + "\n" + kColumn; }

TEST(Values, NumbersWithoutQuotesCompareAsNumbers) {
  const Schema schema = parsed(target("kind = 'binary'\npositive = 1"));
  const Encoding encoding(schema);
  for (const char* cell : {"1", "1.0", " 1.00 ", "+1", "1e0", "01", "true", "TRUE"}) {
    EXPECT_EQ(encoding.encode_target_text(cell, false), 1) << cell;
  }
  for (const char* cell : {"0", "0.0", "10", "-1", "1.0000001", "", "one", "nan", "inf", "1,0", "false"}) {
    EXPECT_EQ(encoding.encode_target_text(cell, false), -1) << cell;
  }
  EXPECT_EQ(encoding.encode_target_number(1.0), 1);
  expect_round_trip(schema);
  expect_round_trip(parsed(target("kind = 'binary'\npositive = [1.5, -2, 1e300, 0.1]")));
}

TEST(Values, TextsInQuotesStayApart) {
  const Encoding encoding(parsed(target("kind = 'binary'\npositive = '1'")));
  EXPECT_EQ(encoding.encode_target_text("1", false), 1);
  EXPECT_EQ(encoding.encode_target_text("+1", false), 1);
  EXPECT_EQ(encoding.encode_target_text("1.0", false), -1);
  EXPECT_EQ(encoding.encode_target_text("01", false), -1);
  const Encoding codes(
      parsed("[[column]]\nname = 'zip'\nkind = 'category'\nvalues = ['01234', '1234', '250.0', '250']\n"));
  EXPECT_EQ(codes.encode_category(0, "01234", false), 0u);
  EXPECT_EQ(codes.encode_category(0, "1234", false), 1u);
  EXPECT_EQ(codes.encode_category(0, "250.0", false), 2u);
  EXPECT_EQ(codes.encode_category(0, "250.00", false), 4u) << "no category";
  expect_round_trip(codes.schema());
}

TEST(Values, NumbersOfCategoriesClassesAndOrders) {
  const Encoding categories(parsed("[[column]]\nname = 'c'\nkind = 'category'\nvalues = [1, 2.0, 3]\nother = true\n"));
  EXPECT_EQ(categories.schema().columns[0].values, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(categories.encode_category(0, "2", false), 1u);
  EXPECT_EQ(categories.encode_category(0, "3.0", false), 2u);
  EXPECT_EQ(categories.encode_category(0, "4", false), 3u);
  EXPECT_EQ(categories.encode_category(0, "nan", false), 3u);
  expect_round_trip(categories.schema());
  const Encoding classes(parsed(target("kind = 'class'\nvalues = [5, 7]")));
  EXPECT_EQ(classes.encode_target_text("7.0", false), 1);
  EXPECT_TRUE(classes.is_known_class("5.0"));
  EXPECT_FALSE(classes.is_known_class("6"));
  const Encoding ordered(parsed("[[column]]\nname = 'o'\nkind = 'category'\nvalues = [1, 2, 3]\nordered = true\n"));
  EXPECT_EQ(ordered.encode_ordered(0, "3.0", false), kRealOne);
  EXPECT_TRUE(ordered.is_known_place(0, "1.0"));
  expect_round_trip(ordered.schema());
}

TEST(Values, BooleansCompareByMeaning) {
  const Schema schema = parsed(target("kind = 'binary'\npositive = true"));
  const Encoding encoding(schema);
  for (const char* cell : {"true", "Yes", "1.0", "T", "y"})
    EXPECT_EQ(encoding.encode_target_text(cell, false), 1) << cell;
  for (const char* cell : {"false", "No", "0", "x", ""})
    EXPECT_EQ(encoding.encode_target_text(cell, false), -1) << cell;
  expect_round_trip(schema);
  const Encoding classes(parsed(target("kind = 'class'\nvalues = [false, true]")));
  EXPECT_EQ(classes.encode_target_text("Yes", false), 1);
  EXPECT_FALSE(classes.is_known_class("maybe"));
}

TEST(Values, ListsOfOneType) {
  EXPECT_NE(refusal(target("kind = 'binary'\npositive = [1, '2']")).find("mixes"), std::string::npos);
  EXPECT_NE(refusal(target("kind = 'class'\nvalues = [1, 1.0]")).find("twice"), std::string::npos);
  EXPECT_NE(refusal(target("kind = 'binary'\npositive = 9007199254740993")).find("quotes"), std::string::npos);
  EXPECT_NE(refusal(target("kind = 'binary'\npositive = nan")).find("finite"), std::string::npos);
  EXPECT_NE(refusal("[format]\nmissing = ['-9.0']\n" + target("kind = 'binary'\npositive = -9")).find("missing"),
            std::string::npos);
  Schema made = parsed(target("kind = 'binary'\npositive = 1"));
  made.target.positive = {"1.0"};
  EXPECT_THROW(validate(made), DataError) << "not in its shortest form";
}

TEST(NumberStyles, AreReadAndWritten) {
  const Schema schema = parsed(
      "[format]\ndelimiter = ';'\ndecimal = ','\nthousands = '.'\n"
      "[[column]]\nname = 'a'\nkind = 'real'\nlower = 0\nupper = 9\n"
      "[[column]]\nname = 'b'\nkind = 'integer'\nlower = 0\nupper = 9\ndecimal = '.'\nthousands = ''\nstrip = ['%']\n"
      "[target]\ncolumn = 'y'\nkind = 'real'\nlower = 0\nupper = 100\n");
  EXPECT_EQ(schema.columns[0].style, (NumberStyle{',', ".", {}}));
  EXPECT_EQ(schema.columns[1].style, (NumberStyle{'.', "", {"%"}}));
  EXPECT_EQ(schema.target.style, (NumberStyle{',', ".", {}}));
  EXPECT_EQ(Encoding(schema).encode_target_text("75,0", false), kTargetOne / 2);
  expect_round_trip(schema);
}

TEST(NumberStyles, WrongOnesAreRefused) {
  const auto column = [](const std::string& keys) {
    return refusal("[[column]]\nname = 'a'\nkind = 'real'\nlower = 0\nupper = 9\n" + keys);
  };
  EXPECT_NE(column("decimal = ';'").find("decimal"), std::string::npos);
  EXPECT_NE(column("thousands = '.'").find("differ"), std::string::npos);
  EXPECT_NE(column("thousands = '1'").find("thousands"), std::string::npos);
  EXPECT_NE(column("strip = ['-']").find("strip"), std::string::npos);
  EXPECT_NE(column("strip = ['']").find("strip"), std::string::npos);
  EXPECT_NE(refusal(target("kind = 'binary'\npositive = 1\ncolour = 2")).find("unknown key"), std::string::npos);
}

const std::string kDate =
    "[[column]]\nname = 'seen'\nkind = 'date'\nlower = 2000-01-01\nupper = '2009-12-31'\nformat = '%d/%m/%Y'\n"
    "parts = ['month', 'weekday', 'hour']\n";

TEST(DateColumns, BecomeANumberAndCategories) {
  const Schema schema = parsed(kDate);
  ASSERT_EQ(schema.columns.size(), 4u);
  EXPECT_EQ(schema.columns[0].kind, ColumnKind::date);
  EXPECT_EQ(schema.columns[0].lower, 10957);
  EXPECT_EQ(schema.columns[0].upper, 14609);
  EXPECT_EQ(schema.columns[1].name, "seen.month");
  EXPECT_EQ(sources_of(schema.columns[1]), std::vector<std::string>{"seen"});
  EXPECT_EQ(schema.columns[3].values.size(), 24u);
  expect_round_trip(schema);
  expect_round_trip(without_shapes(schema));
  const Encoding encoding(schema);
  EXPECT_EQ(encoding.dimension(), 1u + 1 + 12 + 7 + 24);
  EXPECT_EQ(encoding.encode_real(0, 10957), -kRealOne);
  EXPECT_EQ(encoding.encode_real(0, 20000), kRealOne);
  EXPECT_EQ(encoding.weight_names()[2], "seen.month=January");
}

TEST(DateColumns, OnePartAloneAndDaysBetweenTwo) {
  const Schema schema = parsed(
      "[[column]]\nname = 'when'\nkind = 'date'\npart = 'weekday'\nmissing = 'category'\n"
      "[[column]]\nname = 'stay'\nkind = 'days'\nfrom = 'in'\nto = 'out'\nlower = 0\nupper = 30\nscale = 'log'\n");
  EXPECT_EQ(schema.columns[0].source, "");
  EXPECT_EQ(schema.columns[0].missing, MissingRule::category);
  EXPECT_EQ(sources_of(schema.columns[1]), (std::vector<std::string>{"out", "in"}));
  expect_round_trip(schema);
}

TEST(DateColumns, DaysReadDatesAsTheirColumnsDo) {
  const std::string in =
      "[[column]]\nname = 'in'\nkind = 'date'\nlower = 2000-01-01\nupper = 2001-01-01\nformat = '%d.%m.%Y'\n";
  const std::string stay = "[[column]]\nname = 'stay'\nkind = 'days'\nfrom = 'in'\nto = 'out'\nlower = 0\nupper = 30\n";
  const std::vector<std::string> german = {"%d.%m.%Y"};
  for (const std::string& text : {in + stay, stay + in}) {
    const Schema schema = parsed(text);
    EXPECT_EQ(schema.columns[0].date_formats, german);
    EXPECT_EQ(schema.columns[1].date_formats, german);
    expect_round_trip(schema);
  }
  EXPECT_EQ(parsed(in + stay + "format = '%Y/%m/%d'\n").columns[1].date_formats, std::vector<std::string>{"%Y/%m/%d"});
  EXPECT_TRUE(parsed(stay).columns[0].date_formats.empty());
}

TEST(DateColumns, CurvesHaveDaysAsNames) {
  const Schema schema =
      parsed("[[column]]\nname = 'd'\nkind = 'date'\nlower = 2000-01-01\nupper = 2000-12-31\nknots = [2000-03-01]\n");
  expect_round_trip(schema);
  EXPECT_EQ(Encoding(schema).weight_names()[3], "d@2000-03-01");
}

TEST(DateColumns, WrongOnesAreRefused) {
  const auto date = [](const std::string& keys) { return refusal("[[column]]\nname = 'd'\nkind = 'date'\n" + keys); };
  EXPECT_NE(date("lower = 1\nupper = 2").find("2024-02-29"), std::string::npos);
  EXPECT_NE(date("lower = 2000-01-01").find("upper"), std::string::npos);
  EXPECT_NE(date("lower = 'FILL IN'\nupper = 2000-01-01").find("filled in"), std::string::npos);
  EXPECT_NE(date("lower = 2001-01-01\nupper = 2000-01-01").find("less"), std::string::npos);
  EXPECT_NE(date("lower = 2000-01-01T00:00:00\nupper = 2001-01-01").find("must be a day"), std::string::npos);
  EXPECT_NE(date("lower = 2000-01-01\nupper = 2001-01-01\nparts = ['minute']").find("'minute'"), std::string::npos);
  EXPECT_NE(date("lower = 2000-01-01\nupper = 2001-01-01\nformat = '%d'").find("month"), std::string::npos);
  EXPECT_NE(date("lower = 2000-01-01\nupper = 2001-01-01\nparts = ['month', 'month']").find("already"),
            std::string::npos);
  EXPECT_NE(refusal("[[column]]\nname = 's'\nkind = 'days'\nfrom = 'a'\nto = 'a'\nlower = 0\nupper = 1\n")
                .find("two columns"),
            std::string::npos);
  EXPECT_NE(refusal("[target]\ncolumn = 'a'\nkind = 'binary'\npositive = 1\n"
                    "[[column]]\nname = 's'\nkind = 'days'\nfrom = 'a'\nto = 'b'\nlower = 0\nupper = 1\n")
                .find("is the target"),
            std::string::npos);
}

TEST(Identifiers, AreKeptApartFromWhatIsIgnored) {
  const Schema schema = parsed(kColumn + "[[column]]\nnames = ['id', 'visit']\nkind = 'identifier'\n");
  EXPECT_EQ(schema.identifiers, (std::vector<std::string>{"id", "visit"}));
  EXPECT_TRUE(schema.ignored.empty());
  expect_round_trip(schema);
  EXPECT_NE(refusal(kColumn + "[[column]]\nname = 'x'\nkind = 'identifier'\n").find("already"), std::string::npos);
}

}  // namespace
}  // namespace dperm::schema
