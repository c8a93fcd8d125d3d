// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/dates.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace dperm::schema {
namespace {

// Days from elsewhere: date(1) -d DATE +%s, divided by 86400.
TEST(Dates, DaysSince1970) {
  EXPECT_EQ(day_number(1970, 1, 1), 0);
  EXPECT_EQ(day_number(1969, 12, 31), -1);
  EXPECT_EQ(day_number(2000, 2, 29), 11016);
  EXPECT_EQ(day_number(2024, 2, 29), 19782);
  EXPECT_EQ(day_number(1900, 3, 1), -25508);
  EXPECT_EQ(day_number(1, 1, 1), kFirstDay);
  EXPECT_EQ(day_number(9999, 12, 31), kLastDay);
}

TEST(Dates, DaysThatDoNotExistAreNoDays) {
  for (const char* text : {"2023-02-29", "2023-02-30", "1900-02-29", "2023-13-01", "2023-00-01", "2023-01-00",
                           "2023-04-31", "0000-01-01", "10000-01-01", "99999999999999999999-01-01", "-2023-01-01"}) {
    EXPECT_FALSE(parse_date(text, {})) << text;
  }
}

TEST(Dates, IsoWithAndWithoutATime) {
  EXPECT_EQ(parse_iso_date(" 2024-02-29 ")->day, 19782);
  EXPECT_FALSE(parse_iso_date("2024-02-29")->seconds.has_value());
  EXPECT_EQ(parse_iso_date("2024-02-29T13:45")->seconds, 49500);
  EXPECT_EQ(parse_iso_date("2024-02-29 13:45:10.5")->seconds, 49510.5);
  EXPECT_EQ(parse_iso_date("2024-02-29T00:00:00")->days(), 19782);
  EXPECT_EQ(parse_iso_date("2024-02-29T12:00")->days(), 19782.5);
}

TEST(Dates, EverythingElseIsNotRead) {
  for (const char* text :
       {"", "nan", "2024", "2024-02", "2024-2-9", "2024/02/29", "20240229", "29.02.2024", "2024-02-29x", "2024-02-29T",
        "2024-02-29T24:00", "2024-02-29T12:60", "2024-02-29T12:00:60", "2024-02-29T12:00Z", "2024-02-29T12:00+02:00",
        "2024-02-29T12:00:00.", "\xff\xfe", "2024-02-29T12", "today"}) {
    EXPECT_FALSE(parse_iso_date(text)) << text;
  }
}

TEST(Dates, DeclaredFormats) {
  const auto day = [](const char* text, const char* format) { return parse_date(text, {format}); };
  EXPECT_EQ(day("29/02/2024", "%d/%m/%Y")->day, 19782);
  EXPECT_EQ(day("2/29/24", "%m/%d/%y")->day, 19782);
  EXPECT_EQ(day("29 Feb 2024", "%d %b %Y")->day, 19782);
  EXPECT_EQ(day("29-FEBRUARY-2024", "%d-%B-%Y")->day, 19782);
  EXPECT_EQ(day("20240229", "%Y%m%d")->day, 19782);
  EXPECT_EQ(day("29.02.2024 01:45 pm", "%d.%m.%Y %I:%M %p")->seconds, 49500);
  EXPECT_EQ(day("29.02.2024 12:05 AM", "%d.%m.%Y %I:%M %p")->seconds, 300);
  EXPECT_EQ(day("2024-03-01T00:30:00+02:00", "%Y-%m-%dT%H:%M:%S%z")->day, 19782);
  EXPECT_EQ(day("2024-02-29T13:45Z", "%Y-%m-%dT%H:%M%z")->seconds, 49500);
  EXPECT_EQ(day("2024-02-29", "%d/%m/%Y")->day, 19782) << "ISO is read as well";
  EXPECT_EQ(day("1/2/69", "%d/%m/%y")->day, *day_number(1969, 2, 1));
  EXPECT_FALSE(day("02/29/2024", "%d/%m/%Y")) << "no month 29";
  EXPECT_FALSE(day("29/02/2024 ", "%d/%m/%Y %H"));
  EXPECT_FALSE(day("13:00 am 1/2/2024", "%I:%M %p %d/%m/%Y"));
}

TEST(Dates, FormatsThatAreNotOnesAreNamed) {
  EXPECT_NE(date_format_problem("%d/%m").find("year"), std::string::npos);
  EXPECT_NE(date_format_problem("%d/%m/%Q").find("%Q"), std::string::npos);
  EXPECT_NE(date_format_problem("%d/%m/%Y%"), "");
  EXPECT_NE(date_format_problem("%d/%m/%Y %I:%M"), "");
  EXPECT_EQ(date_format_problem("%d/%m/%Y %I:%M %p %%"), "");
}

TEST(Dates, Parts) {
  const Moment leap = *parse_iso_date("2024-02-29T13:45");  // a Thursday
  EXPECT_EQ(date_part_values(DatePart::month)[*date_part(leap, DatePart::month)], "February");
  EXPECT_EQ(date_part_values(DatePart::weekday)[*date_part(leap, DatePart::weekday)], "Thursday");
  EXPECT_EQ(date_part_values(DatePart::hour)[*date_part(leap, DatePart::hour)], "13");
  EXPECT_FALSE(date_part(*parse_iso_date("2024-02-29"), DatePart::hour)) << "no hour was written";
  EXPECT_EQ(*date_part(*parse_iso_date("2024-03-03"), DatePart::weekday), 6u) << "Sunday is last";
}

TEST(Dates, NoNumberOfDaysIsOutOfRange) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const double days = std::bit_cast<double>(random());
    const auto moment = moment_at(days, true);
    if (!moment) continue;
    EXPECT_EQ(moment->day, static_cast<std::int64_t>(std::floor(days)));
    for (const DatePart part : {DatePart::month, DatePart::weekday, DatePart::hour}) {
      EXPECT_LT(date_part(*moment, part).value(), date_part_values(part).size());
    }
  }
  EXPECT_FALSE(moment_at(std::numeric_limits<double>::quiet_NaN(), true));
  EXPECT_FALSE(moment_at(1e300, true));
  EXPECT_FALSE(moment_at(-1e7, false));
  EXPECT_EQ(moment_at(static_cast<double>(kLastDay) + 0.999, true)->day, kLastDay);
}

TEST(Dates, TextsReadBack) {
  for (std::int64_t day = kFirstDay; day <= kLastDay; day += 997) EXPECT_EQ(parse_iso_date(date_text(day))->day, day);
}

// Any bytes give some answer, and one within the calendar.
TEST(Dates, RandomTextsAreReadOrNot) {
  std::mt19937_64 random(11);
  const std::string letters = "0123456789-/: T.+ZpmaFeb\xff%";
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (std::size_t n = random() % 24; n > 0; --n) text += letters[random() % letters.size()];
    const auto moment = parse_date(text, {"%d/%m/%y %H:%M:%S%z", "%b %d %Y %I %p", "%Y%m%d"});
    if (!moment) continue;
    EXPECT_GE(moment->day, kFirstDay);
    EXPECT_LE(moment->day, kLastDay);
    EXPECT_GE(moment->seconds.value_or(0), 0);
    EXPECT_LT(moment->seconds.value_or(0), 86400);
  }
}

}  // namespace
}  // namespace dperm::schema
