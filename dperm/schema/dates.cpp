// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/dates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "dperm/schema/cell_text.hpp"

namespace dperm::schema {

namespace {

constexpr std::int64_t kTicksPerSecond = 1'000'000'000;

constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

// What a text has said so far.
struct Fields {
  std::int64_t year = 0, month = 0, day = 0;
  std::optional<std::int64_t> hour, minute;
  std::int64_t second_ticks = 0;
  std::optional<bool> afternoon;
  std::int64_t zone_minutes = 0;
};

// `least` to `most` digits; false where there are fewer.
bool take_digits(std::string_view& text, std::size_t least, std::size_t most, std::int64_t& value) {
  std::size_t count = 0;
  value = 0;
  while (count < most && count < text.size() && is_digit(text[count])) value = 10 * value + (text[count++] - '0');
  text.remove_prefix(count);
  return count >= least;
}

bool take(std::string_view& text, std::string_view plain) {
  if (!text.starts_with(plain)) return false;
  text.remove_prefix(plain.size());
  return true;
}

bool take_seconds(std::string_view& text, std::int64_t& ticks) {
  std::int64_t whole = 0;
  if (!take_digits(text, 1, 2, whole)) return false;
  ticks = whole * kTicksPerSecond;
  if (text.size() < 2 || text[0] != '.' || !is_digit(text[1])) return true;
  std::int64_t unit = kTicksPerSecond;
  for (text.remove_prefix(1); !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
    unit /= 10;
    ticks += unit * (text[0] - '0');
  }
  return true;
}

bool take_month(std::string_view& text, std::int64_t& month) {
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    for (const std::string_view name : {kMonths[i], kMonths[i].substr(0, 3)}) {
      if (!starts_with_word(text, name)) continue;
      text.remove_prefix(name.size());
      month = static_cast<std::int64_t>(i) + 1;
      return true;
    }
  }
  return false;
}

bool take_half(std::string_view& text, std::optional<bool>& afternoon) {
  const bool pm = starts_with_word(text, "pm");
  if (!pm && !starts_with_word(text, "am")) return false;
  afternoon = pm;
  text.remove_prefix(2);
  return true;
}

// Z, +02:00, -0530, +02
bool take_zone(std::string_view& text, std::int64_t& minutes) {
  if (take(text, "Z")) return true;
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return false;
  const std::int64_t sign = text[0] == '+' ? 1 : -1;
  text.remove_prefix(1);
  std::int64_t hours = 0, rest = 0;
  if (!take_digits(text, 2, 2, hours)) return false;
  const bool more = take(text, ":") || (!text.empty() && is_digit(text[0]));
  if ((more && !take_digits(text, 2, 2, rest)) || hours > 23 || rest > 59) return false;
  minutes = sign * (60 * hours + rest);
  return true;
}

bool take_directive(char directive, std::string_view& text, Fields& fields) {
  std::int64_t number = 0;
  switch (directive) {
    case 'd':
      return take_digits(text, 1, 2, fields.day);
    case 'm':
      return take_digits(text, 1, 2, fields.month);
    case 'Y':
      return take_digits(text, 4, 4, fields.year);
    case 'y':
      if (!take_digits(text, 2, 2, number)) return false;
      fields.year = number + (number < 69 ? 2000 : 1900);  // as POSIX has it
      return true;
    case 'b':
    case 'B':
      return take_month(text, fields.month);
    case 'H':
    case 'I':
      fields.hour.emplace();
      return take_digits(text, 1, 2, *fields.hour) && (directive == 'H' || (*fields.hour >= 1 && *fields.hour <= 12));
    case 'M':
      fields.minute.emplace();
      return take_digits(text, 2, 2, *fields.minute);
    case 'S':
      return take_seconds(text, fields.second_ticks);
    case 'p':
      return take_half(text, fields.afternoon);
    case 'z':
      return take_zone(text, fields.zone_minutes);
    default:
      return take(text, "%");
  }
}

std::optional<Moment> moment_of(const Fields& fields) {
  const auto day = day_number(fields.year, fields.month, fields.day);
  if (!day) return std::nullopt;
  if (!fields.hour) return Moment{*day, std::nullopt};
  std::int64_t hour = *fields.hour;
  if (fields.afternoon) hour = hour % 12 + (*fields.afternoon ? 12 : 0);
  const std::int64_t minute = fields.minute.value_or(0);
  if (hour > 23 || minute > 59 || fields.second_ticks >= 60 * kTicksPerSecond) return std::nullopt;
  std::int64_t ticks = 60 * (60 * hour + minute - fields.zone_minutes) * kTicksPerSecond + fields.second_ticks;
  std::int64_t shifted = *day;
  // An offset is less than a day.
  if (ticks < 0) --shifted, ticks += kTicksPerDay;
  if (ticks >= kTicksPerDay) ++shifted, ticks -= kTicksPerDay;
  if (shifted < kFirstDay || shifted > kLastDay) return std::nullopt;
  return Moment{shifted, ticks};
}

// The whole text by one format.
std::optional<Moment> by_format(std::string_view text, std::string_view format) {
  Fields fields;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const bool fits = format[i] == '%' && i + 1 < format.size() ? take_directive(format[++i], text, fields)
                                                                : take(text, format.substr(i, 1));
    if (!fits) return std::nullopt;
  }
  return text.empty() ? moment_of(fields) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> day_number(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<Moment> parse_iso_date(std::string_view text) {
  text = trimmed(text);
  constexpr std::size_t kDateSize = 10;
  // Months and days of one digit are not ISO.
  if (text.size() < kDateSize || text[4] != '-' || text[7] != '-' || !is_digit(text[6]) || !is_digit(text[9])) {
    return std::nullopt;
  }
  if (text.size() == kDateSize) return by_format(text, "%Y-%m-%d");
  const std::string format = text[kDateSize] == 'T' ? "%Y-%m-%dT%H:%M" : "%Y-%m-%d %H:%M";
  for (const char* rest : {"", ":%S", "%z", ":%S%z"}) {
    if (auto found = by_format(text, format + rest)) return found;
  }
  return std::nullopt;
}

std::optional<Moment> parse_date(std::string_view text, const std::vector<std::string>& formats) {
  text = trimmed(text);
  for (const std::string& format : formats) {
    if (auto found = by_format(text, format)) return found;
  }
  return parse_iso_date(text);
}

std::optional<Moment> moment_at(std::int64_t units, std::int64_t per_day, bool timed) {
  std::int64_t day = units / per_day, rest = units % per_day;
  if (rest < 0) --day, rest += per_day;
  if (day < kFirstDay || day > kLastDay) return std::nullopt;
  if (!timed) return Moment{day, std::nullopt};
  return Moment{day, rest * (kTicksPerDay / per_day)};
}

std::string moment_text(const Moment& moment) {
  const std::int64_t ticks = moment.ticks.value_or(0);
  if (ticks == 0) return date_text(moment.day);
  const std::int64_t seconds = ticks / kTicksPerSecond, rest = ticks % kTicksPerSecond;
  std::string text =
      fmt::format("{} {:02}:{:02}:{:02}", date_text(moment.day), seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (rest == 0) return text;
  text += fmt::format(".{:09}", rest);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

std::string date_format_problem(std::string_view format) {
  constexpr std::string_view kKnown = "dmYybBHIMSpz%";
  std::string seen;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (i + 1 == format.size() || kKnown.find(format[i + 1]) == std::string_view::npos) {
      return fmt::format(
          "format '{}' holds '{}', which is not read; known: %d day, %m month, %Y year, %y year of two digits, %b Jan, "
          "%B January, %H hour, %I hour of twelve, %M minute, %S second, %p am or pm, %z offset, %% a percent sign",
          format, format.substr(i, 2));
    }
    seen += format[++i];
  }
  const auto has = [&](std::string_view any) { return seen.find_first_of(any) != std::string::npos; };
  if (!has("d") || !has("mbB") || !has("Yy")) {
    return fmt::format("format '{}' must name day, month and year, for example \"%d/%m/%Y\"", format);
  }
  if (has("I") != has("p"))
    return fmt::format("format '{}': %I (hour of twelve) and %p (am, pm) belong together", format);
  return {};
}

std::string date_text(std::int64_t day) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(std::clamp(day, kFirstDay, kLastDay)))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

const std::vector<std::string>& date_part_values(DatePart part) {
  static const std::vector<std::string> months(kMonths.begin(), kMonths.end());
  static const std::vector<std::string> weekdays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                    "Friday", "Saturday", "Sunday"};
  static const std::vector<std::string> hours = [] {
    std::vector<std::string> texts;
    for (int hour = 0; hour < 24; ++hour) texts.push_back(fmt::format("{}", hour));
    return texts;
  }();
  static const std::vector<std::string> none;
  switch (part) {
    case DatePart::month:
      return months;
    case DatePart::weekday:
      return weekdays;
    case DatePart::hour:
      return hours;
    case DatePart::none:
      break;
  }
  return none;
}

std::optional<std::size_t> date_part(const Moment& moment, DatePart part) {
  const std::chrono::sys_days day{std::chrono::days(std::clamp(moment.day, kFirstDay, kLastDay))};
  switch (part) {
    case DatePart::month:
      return static_cast<unsigned>(std::chrono::year_month_day(day).month()) - 1;
    case DatePart::weekday:
      return std::chrono::weekday(day).iso_encoding() - 1;
    case DatePart::hour:
      if (!moment.ticks) return std::nullopt;
      return static_cast<std::size_t>(*moment.ticks / (3600 * kTicksPerSecond));
    case DatePart::none:
      break;
  }
  return std::nullopt;
}

}  // namespace dperm::schema
