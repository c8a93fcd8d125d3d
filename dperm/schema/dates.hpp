// SPDX-License-Identifier: Apache-2.0
// Days and times from a cell, without locale or state: total functions of any text and of any count of ticks. A time
// with a zone or an offset is read as UTC, whatever held it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

// Days of the Gregorian calendar, years 1 to 9999.
inline constexpr std::int64_t kFirstDay = -719162;  // 0001-01-01
inline constexpr std::int64_t kLastDay = 2932896;   // 9999-12-31

inline constexpr std::int64_t kTicksPerDay = 86'400'000'000'000;  // nanoseconds

struct Moment {
  std::int64_t day = 0;               // since 1970-01-01
  std::optional<std::int64_t> ticks;  // nanoseconds into that day, where there is a time
  double days() const {
    return static_cast<double>(day) + static_cast<double>(ticks.value_or(0)) / static_cast<double>(kTicksPerDay);
  }
};

// Nothing when there is no such day.
std::optional<std::int64_t> day_number(std::int64_t year, std::int64_t month, std::int64_t day);

// 2024-02-29, or with a time behind a T or a blank: 2024-02-29T13:45, 2024-02-29 13:45:10.5; and with an offset behind
// that: Z, +02:00, -0530, +02. Digits of a second beyond the ninth are cut off.
std::optional<Moment> parse_iso_date(std::string_view text);

// The first of `formats` that fits, else ISO.
std::optional<Moment> parse_date(std::string_view text, const std::vector<std::string>& formats);

// The moment so many units after 1970, of which a day has `per_day`, a divisor of kTicksPerDay (with its time, if
// `timed`); nothing outside the years 1 to 9999.
std::optional<Moment> moment_at(std::int64_t units, std::int64_t per_day, bool timed);

// 2024-02-29, or 2024-02-29 13:45:10.5 where there is a time other than midnight. A column of times all at midnight and
// one of dates then read alike.
std::string moment_text(const Moment& moment);
// The text of a typed date outside the years 1 to 9999.
inline constexpr const char* kNoSuchMoment = "outside the calendar";

// What is wrong with a format: %d %m %Y %y %b %B %H %I %M %S %p %z %% and plain characters; empty if nothing.
std::string date_format_problem(std::string_view format);

// 2024-02-29
std::string date_text(std::int64_t day);

// The values of a part, in the order of their codes: "January", "Monday", "0".
const std::vector<std::string>& date_part_values(DatePart part);
// The place in that list; nothing for an hour that was not written.
std::optional<std::size_t> date_part(const Moment& moment, DatePart part);

}  // namespace dperm::schema
