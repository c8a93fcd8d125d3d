// SPDX-License-Identifier: Apache-2.0
// The table that the targets for data files read.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "dperm/data/carried_columns.hpp"
#include "dperm/data/column_counts.hpp"
#include "dperm/data/inspect.hpp"
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

// Reads a table as fit does, and where its length says so (all of it takes ten times as long) as schema init, schema
// check, schema infer and predict do, which must find the same number of rows. Returns it.
inline std::size_t read(std::string_view text, const std::shared_ptr<const schema::Encoding>& encoding,
                        const char* kind, bool large = false) {
  const MemoryFile file(text);
  const std::string path = file.path();
  const schema::TextFormat& format = encoding->schema().format;
  const std::size_t rows = data::read_tiles({path}, encoding, options(kind)).rows;
  if (text.size() % 4 != 0 || large) return rows;
  data::read_columns({path}, format, kind);
  require_that(data::inspect_dataset({path}, *encoding, options(kind)).report.rows == rows);
  const data::RawTable raw{.patterns = {path}, .format = format, .threads = 1, .kind = kind};
  require_that(data::kind_counts(raw, {{"1"}, {"3"}}).rows == rows);
  require_that(data::value_counts(raw, {"2", "label"}).rows == rows);
  data::carried_columns({path}, format, {"2"}, kind);
  return rows;
}

// Lines of a text whose last one may lack its end.
inline std::size_t lines(std::string_view text, char line_end = '\n') {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), line_end));
  return ends + (!text.empty() && text.back() != line_end ? 1 : 0);
}

}  // namespace dperm::fuzz
