// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/standard_input.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "dperm/core/error.hpp"

namespace dperm::data {

namespace {

[[noreturn]] void failed(const char* what) {
  throw DataError(fmt::format("standard input: {} ({}); its records are kept in memory. Name a file instead", what,
                              std::strerror(errno)));
}

void write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) failed("its records cannot be kept");
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

std::string spooled() {
  if (isatty(STDIN_FILENO) != 0) throw ArgumentError("standard input is a terminal; pipe the data in, or name a file");
  const int file = memfd_create("dperm", MFD_CLOEXEC);
  if (file < 0) failed("there is no place for it");
  std::vector<char> buffer(std::size_t{1} << 20);
  while (true) {
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) failed("reading failed");
    if (got == 0) break;
    write_all(file, buffer.data(), static_cast<std::size_t>(got));
  }
  if (lseek(file, 0, SEEK_CUR) == 0) throw DataError("standard input: it is empty; was anything piped in?");
  return fmt::format("/proc/self/fd/{}", file);
}

}  // namespace

const std::string& standard_input() {
  static const std::string path = spooled();
  return path;
}

}  // namespace dperm::data
