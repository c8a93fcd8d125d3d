// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/locks.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "dperm/core/error.hpp"
#include "dperm/core/nameless.hpp"

namespace dperm::ledger {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw DataError(
      fmt::format("ledger {}: {}, so two programs could spend the same budget; keep the ledger on a local disk, or on "
                  "a network file system with locks",
                  path, why));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

bool lock(int descriptor) {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  // Locks of an open file, not of the process, so that two of one process can be set against each other.
  return fcntl(descriptor, F_OFD_SETLK, &whole) == 0;
}

// In a file of its own: to close the ledger's would give up locks that SQLite holds on it in this process.
void try_locks(const std::string& path) {
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  // Without a name, so that nothing is left behind; a name for a moment where the file system has no such files.
  const int nameless = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  std::string name = folder + "/.dperm-locks-XXXXXX";
  const bool named = nameless < 0 && lacks_nameless_files(errno);
  const Descriptor first(named ? mkstemp(name.data()) : nameless);
  if (first.number() < 0) {
    throw DataError(fmt::format("ledger {}: its folder cannot be written ({})", path, std::strerror(errno)));
  }
  const Descriptor second(open(fmt::format("/proc/self/fd/{}", first.number()).c_str(), O_RDWR | O_CLOEXEC));
  if (named) unlink(name.c_str());
  if (second.number() < 0) throw DataError(fmt::format("ledger {}: {}", path, std::strerror(errno)));
  if (!lock(first.number())) refuse(path, fmt::format("its file system has no locks ({})", std::strerror(errno)));
  if (lock(second.number())) refuse(path, "locks have no effect on its file system");
}

// The line of /proc/self/mountinfo for the device of `path`, or empty.
std::string mount_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return "";
  const std::string device = fmt::format(" {}:{} ", major(status.st_dev), minor(status.st_dev));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(device) != std::string::npos) return line;
  }
  return "";
}

bool is_kept_here(const std::string& mount) {
  const std::size_t dash = mount.find(" - ");
  if (dash == std::string::npos) return false;
  std::istringstream rest(mount.substr(dash + 3));
  std::string kind, source, options;
  rest >> kind >> source >> options;
  options = "," + options + ",";
  const auto has = [&](const char* option) { return options.find(option) != std::string::npos; };
  if (kind.starts_with("nfs")) return has(",nolock,") || has(",local_lock=all,") || has(",local_lock=posix,");
  return (kind == "cifs" || kind == "smb3") && has(",nobrl,");
}

}  // namespace

void require_locks(const std::string& path) {
  if (is_kept_here(mount_of(path))) refuse(path, "its network file system is mounted without locks");
  try_locks(path);
}

}  // namespace dperm::ledger
