// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/error.hpp"

#include <fmt/format.h>

namespace dperm {

ArgumentError::ArgumentError(std::string_view field, std::string_view message)
    : std::invalid_argument(fmt::format("`{}` {}", field, message)), field_(field) {}

std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

}  // namespace dperm
