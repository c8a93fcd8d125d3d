// SPDX-License-Identifier: Apache-2.0
// The table that the targets for data files read.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "dperm/data/reader.hpp"
#include "fuzz/target.hpp"

namespace dperm::fuzz {

inline std::shared_ptr<const schema::Encoding> table(const std::string& format) {
  return std::make_shared<const schema::Encoding>(
      schema::parse_schema("version = 1\n" + format +
                               "[target]\ncolumn = 'label'\nkind = 'binary'\npositive = '1'\n"
                               "[[column]]\nname = '1'\nkind = 'real'\nlower = 0\nupper = 10\n"
                               "[[column]]\nname = '2'\nkind = 'category'\nvalues = ['u', 'v']\nother = true\n"
                               "[[column]]\nname = '3'\nkind = 'date'\nlower = 2000-01-01\nupper = 2030-01-01\n"
                               "parts = ['month']\n",
                           "schema"));
}

inline data::ReadOptions options(const char* kind) {
  data::ReadOptions options;
  options.threads = 1;
  options.format = kind;
  return options;
}

// Lines of a text whose last one may lack its end.
inline std::size_t lines(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

}  // namespace dperm::fuzz
