// SPDX-License-Identifier: Apache-2.0
// Where results go: checked before any work, so that nothing is spent on a result that is lost, and never over an
// input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dperm::cli {

// `inputs` are paths or globs. Throws ArgumentError when `path` is one of them, DataError when it cannot be written.
// Nothing happens when `path` is empty.
void check_output(const std::string& path, const std::vector<std::string>& inputs);

// ArgumentError when a model may be lost by writing there: every one is the record of a budget that is spent. An empty
// file is no model.
void refuse_to_replace(const std::string& path);

// A line for the reader on standard error, after everything printed so far.
void note(const std::string& line);

// Standard streams that were closed stay closed: no file that is opened later takes their place and gets what is meant
// for people.
void hold_standard_streams();

// Flushes standard output; DataError when what was printed did not arrive.
void finish_standard_output();

// Standard output that is a file: DataError where its disk has not this much space, before any budget is spent.
void reserve_standard_output(std::size_t bytes);

// The file of `flag`, such as --picture, that an SVG picture will be written to. As check_output, and ArgumentError
// where its name ends otherwise, or where something else than a picture of dperm, such as a model, lies there.
void check_picture(const std::string& flag, const std::string& path, const std::vector<std::string>& inputs);

// A message for the terminal: what users gave is quoted in it at most in part, whatever its length.
std::string limited(std::string_view message);

// A file that must stay as it is while it is in use, such as mapped tiles; an empty path is none.
class FileInUse {
 public:
  explicit FileInUse(const std::string& path);
  // DataError when its content was changed in place. (Another file under its name does no harm.)
  void require_unchanged() const;

 private:
  std::string path_;
  std::uint64_t number_ = 0, size_ = 0;
  std::int64_t modified_ = 0;
};

}  // namespace dperm::cli
