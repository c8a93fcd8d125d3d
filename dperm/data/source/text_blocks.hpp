// SPDX-License-Identifier: Apache-2.0
// A text file in pieces that end where a record ends. A line is a record, whatever its bytes: nothing that one line
// holds changes where another begins or how many there are. Only in the multi-line mode, which a schema has to name,
// may quotes join lines.
#pragma once

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>

#include <cstddef>
#include <memory>
#include <string_view>

#include "dperm/data/source/files.hpp"

namespace dperm::data {

struct RecordRules {
  char line_end = '\n';  // a carriage return before it belongs to it
  char delimiter = ',';
  bool multi_line = false;
  int skip_last = 0;  // records at the end of the file that are none
};

// Of a longer line only this many bytes are read.
inline constexpr std::size_t kLongestLine = std::size_t{64} << 20;

struct TextBlock {
  static constexpr std::size_t kPadding = 64;       // bytes behind the text that may be read
  std::shared_ptr<arrow::ResizableBuffer> bytes{};  // this block's alone
  std::size_t size = 0;                             // 0: the end
  char* data() const { return reinterpret_cast<char*>(bytes->mutable_data()); }
};

// Bytes of the whole records at the beginning of `text`, all but the last rules.skip_last of them.
std::size_t whole_records(std::string_view text, const RecordRules& rules);

class TextBlocks {
 public:
  // `stream` begins at a record, which is on line `first_line` of the file.
  TextBlocks(const InputFile& file, std::shared_ptr<arrow::io::InputStream> stream, const RecordRules& rules,
             std::size_t first_line = 1);

  // The next records, each with its line end, as a rule some 2 MiB of them. Throws DataError when the file cannot be
  // read and, in the multi-line mode only, when a record is longer than kLongestLine or never ends.
  TextBlock next();

 private:
  void fill();
  void limit_last_line();
  TextBlock take(std::size_t bytes);
  [[noreturn]] void never_closed() const;
  std::string_view text() const;

  InputFile file_;
  std::shared_ptr<arrow::io::InputStream> stream_;
  RecordRules rules_;
  std::size_t line_;  // of the first byte held; counted in the multi-line mode only
  std::shared_ptr<arrow::ResizableBuffer> held_;
  std::size_t size_ = 0;
  bool at_end_ = false;
  bool skipping_ = false;  // the rest of a line that is too long
};

}  // namespace dperm::data
