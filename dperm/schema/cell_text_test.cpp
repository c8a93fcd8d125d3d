// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/cell_text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

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
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(9007199254740992.0), "9007199254740992");
  EXPECT_EQ(number_text(-1e16), "-10000000000000000") << "no exponent where an integer has none";
  EXPECT_EQ(number_text(18446744073709549568.0), "18446744073709549568") << "the largest below 2^64";
  EXPECT_EQ(number_text(1e-7), "1e-07");
  EXPECT_EQ(number_text(kInf), "inf");
}

TEST(CellText, DecimalsAreWrittenWithoutZerosAtTheirEnd) {
  for (const auto& [text, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"1.50", "1.5"},
           {"1.00", "1"},
           {"-0.00", "0"},
           {"-0.250", "-0.25"},
           {"007.10", "7.1"},
           {"1.2E+3", "1200"},
           {"1E-7", "0.0000001"},
           {"-12.5e1", "-125"},
           {"120", "120"},
           {".5", "0.5"},
           {"0E+10", "0"},
           {"123456789012345678901234567890.10", "123456789012345678901234567890.1"}}) {
    EXPECT_EQ(numeral_text(text), expected) << text;
    EXPECT_EQ(parse_number(numeral_text(text)), parse_number(text)) << text;
  }
  for (const char* text : {"", "x", "1.2.3", "1e", "1e5x", "1E+999999999"}) EXPECT_EQ(numeral_text(text), text);
}

TEST(CellText, TrueAndFalseCompareWithNumbers) {
  const NumberStyle german{',', ".", {}};
  EXPECT_EQ(parse_value(" TRUE "), 1);
  EXPECT_EQ(parse_value("false", german), 0);
  EXPECT_EQ(parse_value("1.234,5", german), 1234.5);
  EXPECT_TRUE(std::isnan(parse_value("yes")));
}

TEST(CellText, TruthValuesAreAShortListInAnyCase) {
  for (const char* text : {"true", "True", "TRUE", "tRuE", "1", "1.0", "1.", "+1", "1e0", "yes", "Yes", "YES", "t", "T",
                           "y", "Y", " true "}) {
    EXPECT_TRUE(is_true_text(text)) << text;
    EXPECT_FALSE(is_false_text(text)) << text;
  }
  for (const char* text : {"false", "False", "FALSE", "0", "0.0", "-0", "no", "No", "NO", "f", "F", "n", "N"}) {
    EXPECT_TRUE(is_false_text(text)) << text;
    EXPECT_FALSE(is_true_text(text)) << text;
  }
  for (const char* text : {"", "2", "-1", "0.5", "truee", "ye", "on", "nan", "inf", "\xff"}) {
    EXPECT_FALSE(is_true_text(text)) << text;
    EXPECT_FALSE(is_false_text(text)) << text;
  }
}

TEST(CellText, NumbersInAStyle) {
  const NumberStyle american{'.', ",", {"$", "USD", "%"}};
  EXPECT_EQ(parse_number("$1,234,567.89", american), 1234567.89);
  EXPECT_EQ(parse_number(" - $1,234 ", american), -1234);
  EXPECT_EQ(parse_number("$-12", american), -12);
  EXPECT_EQ(parse_number("12 USD", american), 12);
  EXPECT_EQ(parse_number("12.5%", american), 12.5);
  EXPECT_EQ(parse_number("1234567", american), 1234567);
  EXPECT_EQ(parse_number("-.5e2", american), -50);
  EXPECT_EQ(parse_number("1e400", american), kInf);
  const NumberStyle german{',', ".", {"\u20ac"}};
  EXPECT_EQ(parse_number("1.234,5 \u20ac", german), 1234.5);
  EXPECT_EQ(parse_number("0,5", german), 0.5);
  EXPECT_EQ(parse_number("+1,5e1", german), 15);
  const NumberStyle french{',', " ", {}};
  EXPECT_EQ(parse_number("1\u202f234\u00a0567,8", french), 1234567.8);
  EXPECT_EQ(parse_number("12 345", french), 12345);
}

TEST(CellText, WhatIsNotInItsStyleIsNan) {
  const NumberStyle american{'.', ",", {"$"}};
  for (const char* text : {"1,5", "1,23", ",123", "1234,567", "1,234,56", "1,,234", "1,234,", "1.234,567", "$", "$$",
                           "", "--1", "-$-1", "1 234", "12,345,6789", "\xff", "1,234x"}) {
    EXPECT_TRUE(std::isnan(parse_number(text, american))) << text;
  }
  const NumberStyle german{',', "", {}};
  for (const char* text : {"1.5", "1.000,5", "1,5,5", "1,5.5"})
    EXPECT_TRUE(std::isnan(parse_number(text, german))) << text;
}

}  // namespace
}  // namespace dperm::schema
