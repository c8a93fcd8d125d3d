// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "dperm/core/error.hpp"
#include "dperm/model/atomic_file.hpp"

namespace dperm::cli {

namespace {

bool same_file(const std::string& output, const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::equivalent(output, input, ignored)) return true;
  const auto whole = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  // Two outputs that do not exist yet can still be the same; and a glob is an input as well.
  return whole(output) == whole(input) || (std::filesystem::exists(output, ignored) &&
                                           fnmatch(whole(input).c_str(), whole(output).c_str(), FNM_PATHNAME) == 0);
}

}  // namespace

void check_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) return;
  for (const std::string& input : inputs) {
    if (!input.empty() && same_file(path, input)) {
      throw ArgumentError(fmt::format("--output {} would overwrite '{}'; give another path", path, input));
    }
  }
  model::check_writable(path);
}

void refuse_to_replace(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) || std::filesystem::file_size(path, ignored) == 0) return;
  throw ArgumentError(
      fmt::format("--output {} already exists, and a model file is the record of a budget that is spent; give another "
                  "path, or --overwrite to replace it",
                  path));
}

void note(const std::string& line) {
  std::fflush(stdout);
  std::fputs((line + "\n").c_str(), stderr);
}

void hold_standard_streams() {
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    // Opened for reading only: writing fails, as before. A new descriptor is the lowest free one.
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) return;
  }
}

void finish_standard_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw DataError(
      fmt::format("standard output: not everything could be written ({}); free some space", std::strerror(errno)));
}

void reserve_standard_output(std::size_t bytes) {
  struct stat facts{};
  if (fstat(STDOUT_FILENO, &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  const int status = fallocate(STDOUT_FILENO, FALLOC_FL_KEEP_SIZE, facts.st_size, static_cast<off_t>(bytes));
  const int reason = errno;
  if (status == 0) {
    // Back again: what is set aside there would stay when less is written.
    if (ftruncate(STDOUT_FILENO, facts.st_size) != 0) return;
  } else if (reason == ENOSPC || reason == EDQUOT) {
    throw DataError(fmt::format("standard output: the disk has no room for the result ({}); nothing was spent",
                                std::strerror(reason)));
  }
}

std::string limited(std::string_view message) {
  constexpr std::size_t kWord = 200, kAll = 4000;
  std::string result;
  for (std::size_t at = 0; at < message.size() && result.size() < kAll;) {
    const std::size_t end = std::min(message.find_first_of(" \n", at), message.size());
    const std::string_view word = message.substr(at, end - at);
    result += word.size() <= kWord ? std::string(word)
                                   : fmt::format("{}... ({} bytes) ...{}", word.substr(0, kWord / 2), word.size(),
                                                 word.substr(word.size() - kWord / 4));
    if (end < message.size()) result += message[end];
    at = end + 1;
  }
  return result.size() < kAll ? result : result.substr(0, kAll) + "...";
}

namespace {

struct stat facts_of(const std::string& path) {
  struct stat facts{};
  if (!path.empty() && stat(path.c_str(), &facts) != 0) facts = {};
  return facts;
}

std::int64_t modified(const struct stat& facts) {
  return facts.st_mtim.tv_sec * std::int64_t{1'000'000'000} + facts.st_mtim.tv_nsec;
}

}  // namespace

FileInUse::FileInUse(const std::string& path) : path_(path) {
  const struct stat facts = facts_of(path);
  number_ = facts.st_ino;
  size_ = static_cast<std::uint64_t>(facts.st_size);
  modified_ = modified(facts);
}

void FileInUse::require_unchanged() const {
  const struct stat now = facts_of(path_);
  if (now.st_ino != number_ || (static_cast<std::uint64_t>(now.st_size) == size_ && modified(now) == modified_)) return;
  throw DataError(fmt::format(
      "{}: the file was changed while it was in use; what was computed is thrown away. Noise may have been drawn, so "
      "count the budget as spent; delete the file and run again",
      path_));
}

void check_picture(const std::string& flag, const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) return;
  if (!path.ends_with(".svg")) {
    throw ArgumentError(fmt::format("{} draws SVG; name the file .svg, got '{}'", flag, path));
  }
  check_output(path, inputs);
  constexpr std::string_view kStart = "<svg ";
  std::string start(kStart.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(start.data(), 1)) return;  // none yet, or an empty one
  file.read(start.data() + 1, static_cast<std::streamsize>(start.size()) - 1);
  if (start == kStart) return;
  throw ArgumentError(fmt::format("{} {} already exists and is no picture of dperm; give another path", flag, path));
}

}  // namespace dperm::cli
