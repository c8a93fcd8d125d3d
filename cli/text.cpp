// SPDX-License-Identifier: Apache-2.0
#include "cli/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
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

namespace {

// "l2_penalty" or "solver = certified": the flag for it, or nothing for any other text.
std::string flag_for(std::string_view setting) {
  const std::size_t equals = setting.find(" = ");
  const std::string_view name = setting.substr(0, equals);
  if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string_view::npos) {
    return "";
  }
  std::string flag = name == "rules" ? "--class" : "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  if (equals != std::string_view::npos) flag.append(" ").append(setting.substr(equals + 3));
  return flag;
}

}  // namespace

std::string rendered(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    result.append(text.substr(0, open));
    if (close == std::string_view::npos) {
      if (open != std::string_view::npos) result.append(text.substr(open));
      break;
    }
    const std::string flag = flag_for(text.substr(open + 1, close - open - 1));
    result.append(flag.empty() ? std::string(text.substr(open, close - open)) : flag);
    text.remove_prefix(flag.empty() ? close : close + 1);
  }
  return result;
}

namespace {

std::string coloured(const std::string& text, int file) {
  const char* const no_colour = std::getenv("NO_COLOR");
  const bool plain = isatty(file) == 0 || (no_colour != nullptr && *no_colour != '\0');
  return plain ? text : "\033[31m" + text + "\033[0m";
}

}  // namespace

std::string red(const std::string& text) { return coloured(text, STDOUT_FILENO); }
std::string red_note(const std::string& text) { return coloured(text, STDERR_FILENO); }

std::string quoted(const std::string& argument) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) return argument;
  std::string text = "'";
  for (const char each : argument) text += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return text + "'";
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace dperm::cli
