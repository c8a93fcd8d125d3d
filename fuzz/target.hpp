// SPDX-License-Identifier: Apache-2.0
// What every fuzz target has: one function that takes bytes. libFuzzer calls it under clang (make fuzz); driver.cpp
// calls it with the corpus and changes of it in every build, so that the targets cannot rot.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dperm/core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace dperm::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The bytes as a file in memory, for readers that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written <= 0) std::abort();
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// A promise that did not hold.
inline void require_that(bool holds) {
  if (!holds) std::abort();
}

// Bad input is refused by one of our own errors, never by another.
template <class Action>
bool accepted(Action action) {
  try {
    action();
    return true;
  } catch (const DataError&) {
  } catch (const ArgumentError&) {
  }
  return false;
}

}  // namespace dperm::fuzz
