// SPDX-License-Identifier: Apache-2.0
// An open file that closes itself; reads and writes whole ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dperm::data {

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle();

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  bool is_regular() const;
  std::uint64_t size() const;
  // False (errno set) unless all bytes were read or written.
  bool read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  bool write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;

 private:
  int descriptor_ = -1;
};

}  // namespace dperm::data
