// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/cell_text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <string>

namespace dperm::schema {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(CellText, TrimsBlanksOnBothSidesOnly) {
  EXPECT_EQ(trimmed("  a b\t\r\n"), "a b");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \t "), "");
}

TEST(CellText, ReadsDecimalNumbersWithSignsAndBlanks) {
  EXPECT_EQ(parse_number(" 12 "), 12);
  EXPECT_EQ(parse_number("+1.5"), 1.5);
  EXPECT_EQ(parse_number("-.5e2"), -50);
  EXPECT_EQ(parse_number("007"), 7);
  EXPECT_EQ(parse_number("0.1"), 0.1);
  EXPECT_EQ(parse_number("9007199254740993"), 9007199254740992.0);
}

TEST(CellText, EverythingElseIsNan) {
  for (const char* text :
       {"", " ", "+", "-", "+-1", "++1", "abc", "1 2", "1,5", "12x", "0x10", "1e", "nan", "--1", "$5"}) {
    EXPECT_TRUE(std::isnan(parse_number(text))) << text;
  }
  EXPECT_TRUE(std::isnan(parse_number(std::string_view("1\0", 2))));
}

TEST(CellText, NumbersOutsideTheRangeOfDoubleAreInfiniteOrTiny) {
  EXPECT_EQ(parse_number("1e400"), kInf);
  EXPECT_EQ(parse_number("-1e400"), -kInf);
  EXPECT_EQ(parse_number("inf"), kInf);
  EXPECT_EQ(parse_number("-Infinity"), -kInf);
  EXPECT_NEAR(parse_number("1e-400"), 0, 1e-300);
  EXPECT_EQ(parse_number(std::string(400, '9')), kInf);
}

TEST(CellText, NumbersDoNotDependOnTheLocale) {
  const char* german = std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("1.5e400"), kInf);
  EXPECT_EQ(number_text(1.5), "1.5");
  std::setlocale(LC_ALL, "C");
  if (german == nullptr) GTEST_SKIP() << "locale de_DE.UTF-8 is not installed; checked in the plain locale only";
}

TEST(CellText, LabelsLoseThePlusSignOfANumberOnly) {
  EXPECT_EQ(label_text(" +1 "), "1");
  EXPECT_EQ(label_text("+a"), "+a");
  EXPECT_EQ(label_text("+"), "+");
  EXPECT_EQ(label_text("-1"), "-1");
}

TEST(CellText, IntegersAreWrittenWithoutAPoint) {
  EXPECT_EQ(number_text(3.0), "3");
  EXPECT_EQ(number_text(-0.25), "-0.25");
}

TEST(CellText, TruthValuesAreAShortList) {
  for (const char* text : {"true", "True", "TRUE", "1", "yes", "t", " true "}) EXPECT_TRUE(is_true_text(text));
  for (const char* text : {"false", "0", "no", "f", "FALSE"}) {
    EXPECT_TRUE(is_false_text(text));
    EXPECT_FALSE(is_true_text(text));
  }
  EXPECT_FALSE(is_true_text("2"));
  EXPECT_FALSE(is_false_text(""));
}

}  // namespace
}  // namespace dperm::schema
