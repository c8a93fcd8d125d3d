// SPDX-License-Identifier: Apache-2.0
// Memory for reading files through Arrow.
#pragma once

#include <arrow/memory_pool.h>

#include <cstdint>

#include "dperm/data/source/files.hpp"

namespace dperm::data {

// Files say themselves how much memory their parts need, and a damaged or forged one of a few bytes may ask for
// gigabytes. What a file gets is limited by its size: far above what writers make, since a page of equal cells takes
// next to nothing.
class FileMemory {
 public:
  explicit FileMemory(const InputFile& file);
  FileMemory(const FileMemory&) = delete;
  FileMemory& operator=(const FileMemory&) = delete;
  ~FileMemory();

  // Lives as long as the program: Arrow's own threads may give memory back after a reader is gone. All files that are
  // open have their allowances together.
  arrow::MemoryPool* pool() const;

 private:
  std::int64_t allowance_;
};

}  // namespace dperm::data
