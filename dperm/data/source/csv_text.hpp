// SPDX-License-Identifier: Apache-2.0
// What stands above the records of delimited text: byte-order marks, skipped lines, the header.
#pragma once

#include <arrow/io/interfaces.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/data/source/files.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::data {

struct RecordShape {
  bool complete = false;  // false: more bytes are needed
  bool unclosed = false;  // the text ends inside quotes
  std::size_t bytes = 0;  // including the line end
  std::size_t lines = 0;  // line ends passed
  std::size_t cells = 0;  // 0 for an empty line
};

// The first record of `text`; `at_end` says that no more bytes follow. Fills `cells` unless null.
RecordShape scan_record(std::string_view text, char delimiter, bool at_end, std::vector<std::string>* cells);

// The delimiter to use for a file: the format's, or a tab in a .tsv file whose schema leaves the default comma.
char delimiter_of(const InputFile& file, const schema::TextFormat& format);

struct CsvHead {
  std::vector<std::string> names;                   // from the header line or the schema
  std::size_t line = 1;                             // of the first record
  std::shared_ptr<arrow::io::InputStream> records;  // begins at the first record
};
// The header is a line, unless the format is multi_line: then quoted names may hold line ends. Throws DataError when
// there is no header line, when it or a skipped line ends otherwise than the format says, or when the text is not UTF-8
// like (UTF-16).
CsvHead read_csv_head(const InputFile& file, const schema::TextFormat& format);

}  // namespace dperm::data
