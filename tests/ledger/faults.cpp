// SPDX-License-Identifier: Apache-2.0
// Loaded before the C library: lets the k-th system call that changes a file end badly. FAULT_KIND says how:
//   kill     the process is gone before the call
//   torn     half of what is written arrives, then the process is gone
//   power    the process is gone before the call, and of what was not yet synced some, by FAULT_SEED, never happened
//   ENOSPC, EIO   the call fails, and with FAULT_STICKY=1 all later ones as well
//   unlocked, lockless   locks of open files always succeed, or are refused
// FAULT_LIES=1: the disk says that it has synced and has not, so that a test can see a loss. FAULT_AT is k, FAULT_CLOCK
// a time for the clock to show. FAULT_COUNT names a file to which the number of such calls is written at the end.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

namespace {

template <class Function>
Function next_in_line(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

const char* setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const std::string kKind = setting("FAULT_KIND");
const long kAt = std::atol(setting("FAULT_AT"));
const bool kLies = *setting("FAULT_LIES") == '1';
const bool kSticky = *setting("FAULT_STICKY") == '1';
std::atomic<long> calls{0};
std::atomic<bool> broken{false};

// What has not been synced, so that it can be undone.
struct Unsynced {
  int descriptor;
  off_t offset;
  std::string before;  // bytes that were there
  off_t size;          // of the whole file
};
struct Unlinked {
  std::string path, kept;
};
std::mutex mutex;
std::vector<Unsynced>& unsynced() {
  static std::vector<Unsynced> list;
  return list;
}
std::vector<Unlinked>& unlinked() {
  static std::vector<Unlinked> list;
  return list;
}

[[noreturn]] void vanish() {
  syscall(SYS_exit_group, 137);
  __builtin_unreachable();
}

// A disk keeps any of what it was not asked to keep: from some write on, nothing; and unlinked files come back.
[[noreturn]] void lose_power() {
  unsigned seed = static_cast<unsigned>(std::atol(setting("FAULT_SEED"))) * 2654435761u + 12345u;
  const auto draw = [&] { return (seed = seed * 1664525u + 1013904223u) >> 16; };
  auto& list = unsynced();
  const std::size_t kept = list.empty() ? 0 : draw() % (list.size() + 1);
  for (std::size_t i = list.size(); i-- > kept;) {
    const Unsynced& each = list[i];
    if (!each.before.empty()) {
      syscall(SYS_pwrite64, each.descriptor, each.before.data(), each.before.size(), each.offset);
    }
    syscall(SYS_ftruncate, each.descriptor, each.size);
  }
  for (const Unlinked& each : unlinked()) {
    syscall(draw() % 2 == 0 ? SYS_rename : SYS_unlink, each.kept.c_str(), each.path.c_str());
  }
  vanish();
}

bool is_file(int descriptor) {
  struct stat status{};
  return descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// True: the call must fail, and errno says how.
bool fails() {
  const long call = ++calls;
  if (kAt == 0 || (call != kAt && !broken)) return false;
  if (kKind == "kill") vanish();
  if (kKind == "power") lose_power();
  if (kKind != "ENOSPC" && kKind != "EIO") return false;
  broken = kSticky;
  errno = kKind == "ENOSPC" ? ENOSPC : EIO;
  return true;
}

void remember(int descriptor, off_t offset, std::size_t count) {
  if (kKind != "power") return;
  struct stat status{};
  if (fstat(descriptor, &status) != 0) return;
  std::string before(count, '\0');
  const ssize_t there = syscall(SYS_pread64, descriptor, before.data(), count, offset);
  before.resize(there < 0 ? 0 : static_cast<std::size_t>(there));
  const std::lock_guard lock(mutex);
  unsynced().push_back({descriptor, offset, std::move(before), status.st_size});
}

// Half of a write, if this is the call.
bool tears(const void* bytes, std::size_t count, int descriptor, off_t offset) {
  if (kKind != "torn" || kAt == 0 || calls + 1 != kAt) return false;
  if (offset < 0) offset = lseek(descriptor, 0, SEEK_CUR);
  syscall(SYS_pwrite64, descriptor, bytes, count / 2, offset);
  vanish();
}

void synced(int descriptor) {
  if (kLies) return;
  const std::lock_guard lock(mutex);
  struct stat status{};
  const bool folder = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
  std::erase_if(unsynced(), [&](const Unsynced& each) { return each.descriptor == descriptor; });
  if (!folder) return;
  for (const Unlinked& each : unlinked()) syscall(SYS_unlink, each.kept.c_str());
  unlinked().clear();
}

struct Counter {
  ~Counter() {
    const char* const path = setting("FAULT_COUNT");
    if (*path == '\0') return;
    if (std::FILE* file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  }
} counter;

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto real = next_in_line<ssize_t (*)(int, const void*, size_t)>("write");
  if (is_file(descriptor)) {
    tears(bytes, count, descriptor, -1);
    if (fails()) return -1;
    remember(descriptor, lseek(descriptor, 0, SEEK_CUR), count);
  }
  return real(descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
  static const auto real = next_in_line<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  tears(bytes, count, descriptor, offset);
  if (fails()) return -1;
  remember(descriptor, offset, count);
  return real(descriptor, bytes, count, offset);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
  static const auto real = next_in_line<int (*)(int)>("fsync");
  if (fails()) return -1;
  const int result = real(descriptor);
  if (result == 0) synced(descriptor);
  return result;
}
int fdatasync(int descriptor) {
  static const auto real = next_in_line<int (*)(int)>("fdatasync");
  if (fails()) return -1;
  const int result = real(descriptor);
  if (result == 0) synced(descriptor);
  return result;
}

// A number may come back for another file; what this one lost is not followed further.
int close(int descriptor) {
  static const auto real = next_in_line<int (*)(int)>("close");
  if (kKind == "power") {
    const std::lock_guard lock(mutex);
    std::erase_if(unsynced(), [&](const Unsynced& each) { return each.descriptor == descriptor; });
  }
  return real(descriptor);
}

time_t time(time_t* out) noexcept {
  static const auto real = next_in_line<time_t (*)(time_t*)>("time");
  const char* const clock = setting("FAULT_CLOCK");
  const time_t now = *clock == '\0' ? real(nullptr) : static_cast<time_t>(std::atoll(clock));
  if (out != nullptr) *out = now;
  return now;
}

int ftruncate64(int descriptor, off64_t size) {
  static const auto real = next_in_line<int (*)(int, off64_t)>("ftruncate64");
  if (fails()) return -1;
  return real(descriptor, size);
}
int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

int rename(const char* from, const char* to) {
  static const auto real = next_in_line<int (*)(const char*, const char*)>("rename");
  if (fails()) return -1;
  return real(from, to);
}

int link(const char* from, const char* to) {
  static const auto real = next_in_line<int (*)(const char*, const char*)>("link");
  if (fails()) return -1;
  return real(from, to);
}

int unlink(const char* path) {
  static const auto real = next_in_line<int (*)(const char*)>("unlink");
  if (fails()) return -1;
  if (kKind == "power") {
    const std::string kept = std::string(path) + ".unlinked";
    if (syscall(SYS_rename, path, kept.c_str()) != 0) return -1;
    const std::lock_guard lock(mutex);
    unlinked().push_back({path, kept});
    return 0;
  }
  return real(path);
}

int fcntl64(int descriptor, int command, ...) {
  static const auto real = next_in_line<int (*)(int, int, ...)>("fcntl64");
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (command == F_OFD_SETLK && kKind == "unlocked") return 0;
  if (command == F_OFD_SETLK && kKind == "lockless") {
    errno = ENOLCK;
    return -1;
  }
  return real(descriptor, command, argument);
}
int fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return fcntl64(descriptor, command, argument);
}

}  // extern "C"
