// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/whole_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "dperm/core/error.hpp"

namespace dperm {

namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

[[noreturn]] void unreadable(const std::string& path) {
  throw DataError(
      fmt::format("{}: cannot be read ({}); check the path and its permissions", path, std::strerror(errno)));
}

}  // namespace

std::string whole_file(const std::string& path, std::size_t most) {
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat facts{};
  if (file.number < 0 || fstat(file.number, &facts) != 0) unreadable(path);
  if (S_ISDIR(facts.st_mode)) throw DataError(fmt::format("{}: is a directory, not a file", path));
  if (S_ISCHR(facts.st_mode) || S_ISBLK(facts.st_mode)) {
    throw DataError(fmt::format("{}: is a device, not a file", path));
  }
  std::string content;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const auto expected = static_cast<std::size_t>(std::max<off_t>(0, facts.st_size));
  content.reserve(std::min(expected, most) + 1);
  while (content.size() <= most) {
    const std::size_t before = content.size();
    content.resize(before + kPiece);
    const ssize_t got = read(file.number, content.data() + before, kPiece);
    content.resize(before + static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) unreadable(path);
    if (got == 0) return content;
  }
  throw DataError(fmt::format("{}: has more than {} MiB; is this the right file?", path, most >> 20));
}

}  // namespace dperm
