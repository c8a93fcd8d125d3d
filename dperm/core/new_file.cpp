// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/new_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>

#include "dperm/core/nameless.hpp"

namespace dperm {

namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A descriptor as a path; by it a file without a name gets one.
std::string link_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// Without this a rename may be lost when the machine fails, and the old file or none be found.
void sync_folder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);  // not every file system can; what was written is flushed in any case
  close(descriptor);
}

// Moves a file to a name that is free.
bool move_to_free(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (link(from.c_str(), to.c_str()) != 0) return false;
  unlink(from.c_str());
  return true;
}

}  // namespace

NewFile::NewFile(std::string path) : path_(std::move(path)) {
  descriptor_ = open(folder_of(path_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ >= 0 && access(link_of(descriptor_).c_str(), F_OK) == 0) return;
  if (descriptor_ < 0 && !lacks_nameless_files(errno)) return;
  if (descriptor_ >= 0) close(descriptor_);
  name_ = path_ + ".XXXXXX";
  descriptor_ = mkostemp(name_.data(), O_CLOEXEC);  // mode 0600
  if (descriptor_ < 0) name_.clear();
}

NewFile::NewFile(NewFile&& other) noexcept { *this = std::move(other); }

NewFile& NewFile::operator=(NewFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(name_, other.name_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!name_.empty()) unlink(name_.c_str());
}

bool NewFile::reserve(std::size_t bytes) const {
  if (fallocate(descriptor_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0) return true;
  return errno != ENOSPC && errno != EDQUOT && errno != EFBIG;
}

// A name that nothing has: what lies under any other is not ours to remove.
bool NewFile::give_temporary_name() {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::string name = fmt::format("{}.{:x}-{:x}", path_, getpid(), static_cast<unsigned long long>(now));
    if (linkat(AT_FDCWD, link_of(descriptor_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      name_ = name;
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

// A free name is taken directly: a temporary one would outlive a program that is killed before the rename.
bool NewFile::put_at_free(const std::string& path) const {
  if (!name_.empty()) return move_to_free(name_, path);
  return linkat(AT_FDCWD, link_of(descriptor_).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

bool NewFile::publish_as(const std::string& path, Existing existing) {
  if (fsync(descriptor_) != 0) return false;
  if (!put_at_free(path)) {
    if (errno != EEXIST || existing == Existing::keep) return false;
    if (name_.empty() && !give_temporary_name()) return false;
    if (rename(name_.c_str(), path.c_str()) != 0) return false;
  }
  name_.clear();
  sync_folder(folder_of(path));
  return true;
}

}  // namespace dperm
