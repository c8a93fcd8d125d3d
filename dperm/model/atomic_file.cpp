// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "dperm/core/error.hpp"

namespace dperm::model {

namespace {

[[noreturn]] void fail(const std::string& path, const char* verb, int code) {
  throw DataError(
      fmt::format("{}: cannot {} ({}); check the path and its permissions", path, verb, std::strerror(code)));
}

// A file that exists already must be an ordinary one: renaming onto a device or a pipe would replace it. A link is
// followed, so that what it points to is renewed and the link stays.
std::string target_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw DataError(fmt::format("{}: is a directory; name a file", path));
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw DataError(
        fmt::format("{}: is a device or a pipe, not a file; name a file, or print to standard output", path));
  }
  const std::filesystem::path whole = std::filesystem::canonical(path, error);
  return error ? path : whole.string();
}

// A new file beside `path`; removed again unless kept.
class Draft {
 public:
  explicit Draft(const std::string& path) : path_(path), name_(path + ".XXXXXX") {
    descriptor_ = mkstemp(name_.data());
    if (descriptor_ < 0) fail(path_, "be written", errno);
  }
  ~Draft() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!kept_) unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path_, "be written", errno);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void publish(FileAccess access) {
    if (fsync(descriptor_) != 0) fail(path_, "be written", errno);
    // mkstemp makes files private to the user; most results are ordinary files.
    const mode_t mask = umask(0);
    umask(mask);
    const mode_t wanted = access == FileAccess::owner_only ? 0600 : 0666;
    if (fchmod(descriptor_, wanted & ~mask) != 0) fail(path_, "be written", errno);
    if (rename(name_.c_str(), path_.c_str()) != 0) fail(path_, "be written", errno);
    kept_ = true;
  }

 private:
  std::string path_, name_;
  int descriptor_ = -1;
  bool kept_ = false;
};

}  // namespace

void write_file_atomically(const std::string& path, std::string_view content, FileAccess access) {
  Draft draft(target_of(path));
  draft.write(content);
  draft.publish(access);
}

void check_writable(const std::string& path) { Draft draft(target_of(path)); }

std::string read_file(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw DataError(fmt::format("{}: is a directory, not a file", path));
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "be read", errno);
  std::ostringstream content;
  content << in.rdbuf();
  if (in.bad()) fail(path, "be read", errno);
  return content.str();
}

}  // namespace dperm::model
