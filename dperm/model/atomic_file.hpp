// SPDX-License-Identifier: Apache-2.0
// Files appear whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace dperm::model {

// Who may read a file: whom the user's umask allows, or the user alone, for files that hold records.
enum class FileAccess { ordinary, owner_only };

// Writes beside `path`, flushes to disk and renames. Throws DataError naming the path and the reason; the old file, if
// any, is then untouched and nothing is left behind.
void write_file_atomically(const std::string& path, std::string_view content, FileAccess access = FileAccess::ordinary);

// Throws DataError now if `path` could not be written later, so that no budget is spent on a result that is lost.
void check_writable(const std::string& path);

// The whole file; throws DataError naming the path and the reason.
std::string read_file(const std::string& path);

}  // namespace dperm::model
