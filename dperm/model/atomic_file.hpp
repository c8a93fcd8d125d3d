// SPDX-License-Identifier: Apache-2.0
// Files appear whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "dperm/core/new_file.hpp"

namespace dperm::model {

// Who may read a file: whom the user's umask allows, or the user alone, for files that hold records.
enum class FileAccess { ordinary, owner_only };

// Writes beside `path`, flushes to disk and puts it in its place. Throws DataError naming the path and the reason; the
// old file, if any, is then untouched and nothing is left behind.
void write_file_atomically(const std::string& path, std::string_view content, FileAccess access = FileAccess::ordinary);

// Throws DataError now if `path` could not be written later, so that no budget is spent on a result that is lost.
void check_writable(const std::string& path);

// A place for a result that is still to be made, with disk space for it, taken before any budget is spent.
class ReservedFile {
 public:
  // `bytes`: what it will have, roughly. Throws DataError as check_writable, or where the disk has less.
  ReservedFile(const std::string& path, std::size_t bytes, FileAccess access = FileAccess::ordinary);

  // Writes the file at its path. Where another program has made a file of that name meanwhile and `replace` is false,
  // it is written at a free name beside it, which is returned: nothing is lost. Empty otherwise.
  std::string write(std::string_view content, bool replace);

 private:
  std::string path_;
  FileAccess access_;
  NewFile file_;
};

// The whole file; throws DataError naming the path and the reason (dperm/core/whole_file.hpp).
std::string read_file(const std::string& path);

}  // namespace dperm::model
