// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/atomic_file.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "dperm/core/error.hpp"
#include "dperm/core/whole_file.hpp"

namespace dperm::model {

namespace {

[[noreturn]] void fail(const std::string& path, const char* verb, int code) {
  throw DataError(
      fmt::format("{}: cannot {} ({}); check the path and its permissions", path, verb, std::strerror(code)));
}

bool is_database(const std::string& path) {
  constexpr std::string_view kHead("SQLite format 3\0", 16);
  char head[kHead.size()] = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(head, sizeof head) && std::string_view(head, sizeof head) == kHead;
}

// A file that exists already must be an ordinary one: renaming onto a device or a pipe would replace it. A link is
// followed, so that what it points to is renewed and the link stays; one that points nowhere would be replaced.
std::string target_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw DataError(fmt::format("{}: is a directory; name a file", path));
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw DataError(
        fmt::format("{}: is a device or a pipe, not a file; name a file, or print to standard output", path));
  }
  if (!std::filesystem::exists(status) && std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) {
    throw DataError(
        fmt::format("{}: is a link to a file that does not exist; name that file, or remove the link", path));
  }
  if (is_database(path)) {
    throw DataError(
        fmt::format("{}: is a database, such as a ledger, which no result replaces; name another file", path));
  }
  const std::filesystem::path whole = std::filesystem::canonical(path, error);
  return error ? path : whole.string();
}

void write_all(const NewFile& file, const std::string& path, std::string_view content) {
  const auto size = static_cast<off_t>(content.size());
  while (!content.empty()) {
    const ssize_t written = ::write(file.descriptor(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "be written", errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (ftruncate(file.descriptor(), size) != 0) fail(path, "be written", errno);  // gives reserved space back
}

// New files are private to the user; most results are ordinary ones.
void set_access(const NewFile& file, const std::string& path, FileAccess access) {
  const mode_t mask = umask(0);
  umask(mask);
  const mode_t wanted = access == FileAccess::owner_only ? 0600 : 0666;
  if (fchmod(file.descriptor(), wanted & ~mask) != 0) fail(path, "be written", errno);
}

bool is_empty_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && std::filesystem::file_size(path, ignored) == 0;
}

}  // namespace

ReservedFile::ReservedFile(const std::string& path, std::size_t bytes, FileAccess access)
    : path_(target_of(path)), access_(access), file_(path_) {
  if (!file_.is_open() || !file_.reserve(bytes)) fail(path_, "be written", errno);
}

std::string ReservedFile::write(std::string_view content, bool replace) {
  write_all(file_, path_, content);
  set_access(file_, path_, access_);
  const auto existing = replace || is_empty_file(path_) ? NewFile::Existing::replace : NewFile::Existing::keep;
  if (file_.publish(existing)) return {};
  constexpr int kMostNames = 1000;
  for (int number = 2; errno == EEXIST && number <= kMostNames; ++number) {
    const std::string beside = fmt::format("{}.{}", path_, number);
    if (file_.publish_as(beside, NewFile::Existing::keep)) return beside;
  }
  fail(path_, "be written", errno);
}

void write_file_atomically(const std::string& path, std::string_view content, FileAccess access) {
  ReservedFile(path, content.size(), access).write(content, true);
}

void check_writable(const std::string& path) { ReservedFile(path, 1); }

std::string read_file(const std::string& path) { return whole_file(path); }

}  // namespace dperm::model
