// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/effect_text.hpp"

#include <gtest/gtest.h>

namespace dperm::report {
namespace {

using Texts = std::vector<std::string>;

TEST(EffectText, NumbersHaveTheDigitsThatTellNeighboursApart) {
  EXPECT_EQ(date_texts({0, 19782.5}), (Texts{"1970-01-01", "2024-02-29"}));
  EXPECT_EQ(number_texts({17, 26.125, 35.25, 90}), (Texts{"17", "26.1", "35.2", "90"}));
  EXPECT_EQ(number_texts({0, 3.2171, 316.23, 100000}), (Texts{"0", "3.2", "316", "100000"}));
  EXPECT_EQ(number_texts({-124.3, -124.1, -123.9}), (Texts{"-124.3", "-124.1", "-123.9"}));
  EXPECT_EQ(number_texts({-0.0001, 0.0001}), (Texts{"-0.0001", "0.0001"}));
  EXPECT_EQ(number_texts({0, 2.5e9}), (Texts{"0", "2.5e+09"}));
  EXPECT_EQ(number_texts({-1e-300, 5}), (Texts{"0", "5"})) << "no minus before a zero";
}

TEST(EffectText, WholeNumbersHaveSeparators) {
  EXPECT_EQ(whole(1234567), "1,234,567");
  EXPECT_EQ(whole(-1234.4), "-1,234");
  EXPECT_EQ(whole(999), "999");
}

TEST(EffectText, AnErrorSaysHowManyDigitsAreMeant) {
  EXPECT_EQ(rounded_to(12.3456, 0.056), "12.346");
  EXPECT_EQ(rounded_to(0.71342, 0.02), "0.713");
  EXPECT_EQ(rounded_to(12352.7, 560), "12,350");
  EXPECT_EQ(rounded_to(12352.7, 11000), "12,000");
  EXPECT_EQ(rounded_to(12352.7, 5), "12352.7");
  EXPECT_EQ(rounded_to(-0.0001, 0.3), "0") << "no minus before a zero";
  EXPECT_EQ(rounded_to(1234.5678, 0), "1234.57") << "no error: six digits";
}

TEST(EffectText, NamesAreCutBetweenCharacters) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("Married-civ-spouse", 10), "Married-..");
  EXPECT_EQ(shortened("aaaaaaa\xc3\xa9zzz", 10), "aaaaaaa..") << "a letter of two bytes stays whole or goes";
}

}  // namespace
}  // namespace dperm::report
