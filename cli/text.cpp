// SPDX-License-Identifier: Apache-2.0
#include "cli/text.hpp"

#include <fmt/format.h>

#include <sstream>

namespace dperm::cli {

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t length = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (length > 0 && length + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      length = 0;
    } else if (length > 0) {
      result += ' ';
      ++length;
    }
    result += word;
    length += word.size();
  }
  return result;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace dperm::cli
