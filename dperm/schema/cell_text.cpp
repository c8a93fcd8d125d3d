// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/cell_text.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <charconv>
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

std::string number_text(double value) { return fmt::format("{}", value); }

std::string_view label_text(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '+' && is_digit(text[1])) text.remove_prefix(1);
  return text;
}

bool is_true_text(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTexts = {"true", "True", "TRUE", "1", "yes", "t"};
  return std::find(kTexts.begin(), kTexts.end(), trimmed(text)) != kTexts.end();
}

bool is_false_text(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTexts = {"false", "False", "FALSE", "0", "no", "f"};
  return std::find(kTexts.begin(), kTexts.end(), trimmed(text)) != kTexts.end();
}

}  // namespace dperm::schema
