// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/cell_text.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <system_error>

namespace dperm::schema {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// from_chars only reports that a number is too large or too small; the C function says which, but must not see the
// user's locale.
double out_of_range_number(std::string_view text) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  if (plain == nullptr) return kNan;
  return strtod_l(std::string(text).c_str(), nullptr, plain);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return same_word(text, word); });
}

// The thousands separator at the start of `text`: its length, or 0. A blank stands for the blanks that do not break.
std::size_t separator_at(std::string_view text, std::string_view thousands) {
  if (thousands.empty()) return 0;
  if (text.starts_with(thousands)) return thousands.size();
  if (thousands == " ") {
    for (const std::string_view blank : {"\u00a0", "\u202f", "\u2009"}) {
      if (text.starts_with(blank)) return blank.size();
    }
  }
  return 0;
}

// Takes signs off both ends; a minus may stand before or behind one.
std::string_view without_signs(std::string_view text, const std::vector<std::string>& signs) {
  for (bool again = true; again;) {
    again = false;
    text = trimmed(text);
    for (const std::string& sign : signs) {
      if (sign.empty() || text.size() <= sign.size()) continue;
      if (text.starts_with(sign)) {
        text.remove_prefix(sign.size());
        again = true;
      } else if (text.ends_with(sign)) {
        text.remove_suffix(sign.size());
        again = true;
      }
    }
  }
  return text;
}

// Whole digits with their separators taken out; false where groups are not of three.
bool add_whole_digits(std::string_view& text, std::string_view thousands, std::string& digits) {
  std::size_t group = 0;
  bool separated = false;
  while (!text.empty()) {
    if (is_digit(text.front())) {
      digits += text.front();
      ++group;
      text.remove_prefix(1);
      continue;
    }
    const std::size_t separator = separator_at(text, thousands);
    if (separator == 0) break;
    if (separated ? group != 3 : group == 0 || group > 3) return false;
    separated = true;
    group = 0;
    text.remove_prefix(separator);
  }
  return !separated || group == 3;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

double parse_number(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = kNan;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return kNan;
  if (error == std::errc::result_out_of_range) return out_of_range_number(text);
  return error == std::errc() ? value : kNan;
}

double parse_number(std::string_view text, const NumberStyle& style) {
  if (style.decimal == '.' && style.thousands.empty() && style.strip.empty()) return parse_number(text);
  text = without_signs(text, style.strip);
  std::string plain;
  if (text.starts_with('-') || text.starts_with('+')) {
    plain += text.front();
    text = without_signs(text.substr(1), style.strip);
    if (text.starts_with('-') || text.starts_with('+')) return kNan;
  }
  if (!add_whole_digits(text, style.thousands, plain)) return kNan;
  if (style.decimal != '.' && text.starts_with('.')) return kNan;
  if (text.starts_with(style.decimal)) {
    plain += '.';
    text.remove_prefix(1);
  }
  return parse_number(plain.append(text));
}

double parse_value(std::string_view text) { return parse_value(text, NumberStyle{}); }

double parse_value(std::string_view text, const NumberStyle& style) {
  const double number = parse_number(text, style);
  if (!std::isnan(number)) return number;
  text = trimmed(text);
  if (same_word(text, "true")) return 1;
  if (same_word(text, "false")) return 0;
  return kNan;
}

std::string number_text(double value) {
  // Below 2^64, where integers of this value have a type: fmt alone would change to an exponent at 1e16.
  if (std::abs(value) < 0x1p64 && value == std::floor(value)) return fmt::format("{:.0f}", value + 0.0);
  return fmt::format("{}", value);
}

std::string numeral_text(std::string_view text) {
  constexpr int kMostZeros = 400;
  text = trimmed(text);
  std::string_view digits = text;
  std::string sign;
  if (digits.starts_with('-') || digits.starts_with('+')) {
    if (digits.front() == '-') sign = "-";
    digits.remove_prefix(1);
  }
  int exponent = 0;
  if (const auto e = digits.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view tail = digits.substr(e + 1);
    if (tail.starts_with('+')) tail.remove_prefix(1);
    const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
    if (error != std::errc() || end != tail.data() + tail.size()) return std::string(text);
    digits = digits.substr(0, e);
  }
  const auto point = std::min(digits.find('.'), digits.size());
  std::string plain(digits.substr(0, point));
  if (point < digits.size()) plain += digits.substr(point + 1);
  if (plain.empty() || !std::all_of(plain.begin(), plain.end(), is_digit) || std::abs(exponent) > kMostZeros) {
    return std::string(text);
  }
  auto place = static_cast<int>(point) + exponent;  // of the decimal point among the digits
  if (place <= 0) plain.insert(0, static_cast<std::size_t>(1 - place), '0'), place = 1;
  if (plain.size() < static_cast<std::size_t>(place)) plain.append(static_cast<std::size_t>(place) - plain.size(), '0');
  std::string whole = plain.substr(0, static_cast<std::size_t>(place));
  std::string fraction = plain.substr(static_cast<std::size_t>(place));
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size() - 1));
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (fraction.empty()) return whole == "0" ? whole : sign + whole;
  return sign + whole + "." + fraction;
}

std::string_view label_text(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '+' && is_digit(text[1])) text.remove_prefix(1);
  return text;
}

bool is_true_text(std::string_view text) {
  text = trimmed(text);
  return is_one_of(text, {"1", "true", "yes", "t", "y"}) || parse_number(text) == 1;
}

bool is_false_text(std::string_view text) {
  text = trimmed(text);
  return is_one_of(text, {"0", "false", "no", "f", "n"}) || parse_number(text) == 0;
}

}  // namespace dperm::schema
