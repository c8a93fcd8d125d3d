// SPDX-License-Identifier: Apache-2.0
// Memory for reading one file through Arrow.
#pragma once

#include <arrow/memory_pool.h>

#include <cstdint>

#include "dperm/data/source/files.hpp"

namespace dperm::data {

// Files say themselves how much memory their parts need, and a damaged or forged one of a few bytes may ask for
// gigabytes. What it gets is limited by its size: far above what writers make, since a page of equal cells takes next
// to nothing. Whatever was read with it must be gone before it is.
class FileMemory {
 public:
  explicit FileMemory(const InputFile& file)
      : counted_(arrow::default_memory_pool()),
        capped_(&counted_, kForAnyFile + kPerByte * static_cast<std::int64_t>(file.facts.size)) {}

  arrow::MemoryPool* pool() { return &capped_; }

 private:
  static constexpr std::int64_t kForAnyFile = std::int64_t{1} << 30;
  static constexpr std::int64_t kPerByte = 64;

  arrow::ProxyMemoryPool counted_;  // what this file uses; the default pool may serve others
  arrow::CappedMemoryPool capped_;
};

}  // namespace dperm::data
