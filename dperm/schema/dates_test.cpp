// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/dates.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace dperm::schema {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

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
  EXPECT_FALSE(parse_iso_date("2024-02-29")->ticks.has_value());
  EXPECT_EQ(parse_iso_date("2024-02-29T13:45")->ticks, 49500 * kSecond);
  EXPECT_EQ(parse_iso_date("2024-02-29 13:45:10.5")->ticks, 49510 * kSecond + kSecond / 2);
  EXPECT_EQ(parse_iso_date("2024-02-29 13:45:10.1234567899")->ticks, 49510 * kSecond + 123456789);
  EXPECT_EQ(parse_iso_date("2024-02-29T00:00:00")->days(), 19782);
  EXPECT_EQ(parse_iso_date("2024-02-29T12:00")->days(), 19782.5);
}

// Moments from elsewhere: date -u -d TEXT +%s.
TEST(Dates, OffsetsAreReadAsUtc) {
  const auto seconds = [](const char* text) {
    const auto moment = parse_iso_date(text);
    return moment ? moment->day * 86400 + moment->ticks.value() / kSecond : -1;
  };
  for (const char* text : {"2024-02-29T12:00Z", "2024-02-29T14:00+02:00", "2024-02-29 06:30:00-0530",
                           "2024-02-29 12:00:00+00", "2024-03-01T11:59:00+23:59", "2024-02-28T12:01-23:59"}) {
    EXPECT_EQ(seconds(text), 1709208000) << text;
  }
  EXPECT_FALSE(parse_iso_date("0001-01-01T00:00+01:00")) << "before the first day";
  EXPECT_FALSE(parse_iso_date("9999-12-31T23:30-01:00")) << "after the last";
}

TEST(Dates, EverythingElseIsNotRead) {
  for (const char* text : {"",
                           "nan",
                           "2024",
                           "2024-02",
                           "2024-2-9",
                           "2024/02/29",
                           "20240229",
                           "29.02.2024",
                           "2024-02-29x",
                           "2024-02-29T",
                           "2024-02-29T24:00",
                           "2024-02-29T12:60",
                           "2024-02-29T12:00:60",
                           "2024-02-29T12:00 Z",
                           "2024-02-29T12:00+2",
                           "2024-02-29Z",
                           "2024-02-29T12:00+24:00",
                           "2024-02-29T12:00+02:",
                           "2024-02-29T12:00:00.",
                           "\xff\xfe",
                           "2024-02-29T12",
                           "today"}) {
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
  EXPECT_EQ(day("29.02.2024 01:45 pm", "%d.%m.%Y %I:%M %p")->ticks, 49500 * kSecond);
  EXPECT_EQ(day("29.02.2024 12:05 AM", "%d.%m.%Y %I:%M %p")->ticks, 300 * kSecond);
  EXPECT_EQ(day("2024-03-01T00:30:00+02:00", "%Y-%m-%dT%H:%M:%S%z")->day, 19782);
  EXPECT_EQ(day("2024-02-29T13:45Z", "%Y-%m-%dT%H:%M%z")->ticks, 49500 * kSecond);
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

TEST(Dates, NoNumberOfUnitsIsOutOfRange) {
  std::mt19937_64 random(7);
  for (const std::int64_t per_day : {std::int64_t{1}, std::int64_t{86400}, std::int64_t{86400000}, kTicksPerDay}) {
    for (int i = 0; i < 100000; ++i) {
      const auto units = static_cast<std::int64_t>(random()) >> (random() % 60);
      const auto moment = moment_at(units, per_day, true);
      const auto day = static_cast<double>(units) / static_cast<double>(per_day);
      if (!moment) {
        EXPECT_TRUE(day < static_cast<double>(kFirstDay) || day > static_cast<double>(kLastDay)) << units;
        continue;
      }
      EXPECT_EQ(moment->day * per_day + *moment->ticks / (kTicksPerDay / per_day), units);
      EXPECT_TRUE(*moment->ticks >= 0 && *moment->ticks < kTicksPerDay);
      for (const DatePart part : {DatePart::month, DatePart::weekday, DatePart::hour}) {
        EXPECT_LT(date_part(*moment, part).value(), date_part_values(part).size());
      }
    }
  }
  EXPECT_FALSE(moment_at(std::numeric_limits<std::int64_t>::min(), 1, true));
  EXPECT_EQ(moment_at(-1, 86400, false)->day, -1);
  EXPECT_EQ(moment_at(kLastDay, 1, false)->day, kLastDay);
  EXPECT_FALSE(moment_at(kLastDay + 1, 1, false));
}

TEST(Dates, TypedMomentsAndTheirTextsAreTheSame) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 20000; ++i) {
    const auto ticks = static_cast<std::int64_t>(random()) >> (random() % 40);
    const auto moment = moment_at(ticks, kTicksPerDay, true).value();
    const auto read = parse_iso_date(moment_text(moment));
    ASSERT_TRUE(read) << moment_text(moment);
    EXPECT_EQ(read->day, moment.day);
    EXPECT_EQ(read->ticks.value_or(0), *moment.ticks);
    EXPECT_EQ(read->days(), moment.days());
  }
  EXPECT_EQ(moment_text({19782, 0}), "2024-02-29");
  EXPECT_EQ(moment_text({19782, 49510 * kSecond + kSecond / 2}), "2024-02-29 13:45:10.5");
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
    EXPECT_GE(moment->ticks.value_or(0), 0);
    EXPECT_LT(moment->ticks.value_or(0), kTicksPerDay);
  }
}

}  // namespace
}  // namespace dperm::schema
