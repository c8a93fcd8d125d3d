// SPDX-License-Identifier: Apache-2.0
#include "cli/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
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

std::string rendered(std::string_view text) {
  static const std::regex setting("`([a-z][a-z0-9_]*)( = ([^`]*))?`");
  std::string result;
  std::cregex_iterator next(text.data(), text.data() + text.size(), setting);
  const char* done = text.data();
  for (; next != std::cregex_iterator(); ++next) {
    std::string flag = "--" + next->str(1);
    std::replace(flag.begin(), flag.end(), '_', '-');
    result.append(done, text.data() + next->position());
    result += next->length(2) > 0 ? flag + " " + next->str(3) : flag;
    done = text.data() + next->position() + next->length();
  }
  return result.append(done, text.data() + text.size());
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace dperm::cli
