// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/effect_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dperm/schema/dates.hpp"

namespace dperm::report {

namespace {

constexpr double kPlainBelow = 1e7;

std::string number_text(double value, double gap) {
  if (!(gap > 0) || std::abs(value) >= kPlainBelow) return fmt::format("{:.4g}", value);
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(gap))), 0, 9);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

}  // namespace

std::vector<std::string> date_texts(const std::vector<double>& days) {
  std::vector<std::string> texts;
  for (const double day : days) texts.push_back(schema::date_text(static_cast<std::int64_t>(std::floor(day))));
  return texts;
}

std::vector<std::string> number_texts(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (std::size_t j = 0; j < values.size(); ++j) {
    double gap = std::abs(values.back() - values.front());
    if (j > 0) gap = std::min(gap, std::abs(values[j] - values[j - 1]));
    if (j + 1 < values.size()) gap = std::min(gap, std::abs(values[j + 1] - values[j]));
    texts.push_back(number_text(values[j], gap));
  }
  return texts;
}

std::string whole(double number) {
  const std::string digits = fmt::format("{:.0f}", std::abs(number));
  std::string text = std::round(number) < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string rounded_to(double value, double error) {
  if (!(error > 0) || !std::isfinite(error)) return fmt::format("{:.6g}", value);
  const int decimals = std::min(1 - static_cast<int>(std::floor(std::log10(error))), 9);
  if (decimals <= 0) {
    const double unit = std::pow(10, -decimals);
    return whole(std::round(value / unit) * unit);
  }
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.find_first_not_of("-0.") == std::string::npos ? "0" : text;
}

std::string shortened(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t end = longest < 2 ? 0 : longest - 2;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "..";
}

}  // namespace dperm::report
