// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/file_memory.hpp"

#include <arrow/status.h>

#include <atomic>

namespace dperm::data {

namespace {

constexpr std::int64_t kForAnyFile = std::int64_t{1} << 30;
constexpr std::int64_t kPerByte = 64;

class LimitedPool final : public arrow::ProxyMemoryPool {
 public:
  LimitedPool() : ProxyMemoryPool(arrow::default_memory_pool()) {}

  void raise(std::int64_t allowance) { limit_ += allowance; }

  arrow::Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override {
    if (!fits(size)) return arrow::Status::OutOfMemory("more than the file's size explains");
    return ProxyMemoryPool::Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(std::int64_t old_size, std::int64_t size, std::int64_t alignment,
                           std::uint8_t** place) override {
    if (!fits(size - old_size)) return arrow::Status::OutOfMemory("more than the file's size explains");
    return ProxyMemoryPool::Reallocate(old_size, size, alignment, place);
  }

 private:
  bool fits(std::int64_t more) const { return more <= 0 || more <= limit_ - bytes_allocated(); }

  std::atomic<std::int64_t> limit_ = 0;
};

LimitedPool& limited_pool() {
  static LimitedPool& pool = *new LimitedPool;  // never destroyed
  return pool;
}

}  // namespace

FileMemory::FileMemory(const InputFile& file)
    : allowance_(kForAnyFile + kPerByte * static_cast<std::int64_t>(file.facts.size)) {
  limited_pool().raise(allowance_);
}

FileMemory::~FileMemory() { limited_pool().raise(-allowance_); }

arrow::MemoryPool* FileMemory::pool() const { return &limited_pool(); }

}  // namespace dperm::data
