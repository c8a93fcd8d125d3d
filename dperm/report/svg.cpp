// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/svg.hpp"

#include "dperm/core/utf8.hpp"

namespace dperm::report {

namespace {

constexpr std::string_view kUnreadable = "\xef\xbf\xbd";  // U+FFFD

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    if (bytes == 0 || code == 0xfffe || code == 0xffff) {
      result += kUnreadable;
    } else if (code == '&') {
      result += "&amp;";
    } else if (code == '<') {
      result += "&lt;";
    } else if (code == '>') {
      result += "&gt;";
    } else if (code == '"') {
      result += "&quot;";
    } else if (code == '\'') {
      result += "&#39;";
    } else if (is_control(code)) {
      result += ' ';
    } else if (changes_direction(code)) {
      result += kUnreadable;
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return result;
}

}  // namespace dperm::report
