// SPDX-License-Identifier: Apache-2.0
// Loaded before the C library: lets the k-th system call that changes a file or a name end badly. FAULT_KIND says how:
//   kill     the process is gone before the call
//   torn     half of what is written arrives, then the process is gone
//   power    the process is gone before the call, and of what was not yet synced some, by FAULT_SEED, never happened:
//            bytes, whole files, new names and removed ones. A k beyond the last call: power goes when it has ended
//   ENOSPC, EIO   the call fails, and with FAULT_STICKY=1 all later ones as well
//   unlocked, lockless   locks of open files always succeed, or are refused
// FAULT_LIES=1: the disk says that it has synced and has not, so that a test can see a loss. FAULT_AT is k, FAULT_CLOCK
// a time for the clock to show. FAULT_COUNT names a file to which the calls are written at the end, a line each.
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
#include <map>
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
  ino_t file;
  off_t offset;
  std::string before;  // bytes that were there
  off_t size;          // of the whole file
};
struct Unlinked {
  std::string path, kept;
};
struct Renamed {
  std::string from, to, replaced;  // no `from`: a new file or a new link; replaced: what was there
};
std::recursive_mutex mutex;
std::vector<Unsynced>& unsynced() {
  static auto& list = *new std::vector<Unsynced>;  // never destroyed: it is needed until the very end
  return list;
}
std::vector<Unlinked>& unlinked() {
  static auto& list = *new std::vector<Unlinked>;  // never destroyed: it is needed until the very end
  return list;
}
std::vector<Renamed>& renamed() {
  static auto& list = *new std::vector<Renamed>;  // never destroyed: it is needed until the very end
  return list;
}
// Descriptors of our own, which outlive those of the program. Never closed: closing one would drop the program's locks.
std::map<ino_t, int>& keepers() {
  static auto& list = *new std::map<ino_t, int>;  // never destroyed: it is needed until the very end
  return list;
}
std::vector<std::string>& names_of_calls() {
  static auto& list = *new std::vector<std::string>;  // never destroyed: it is needed until the very end
  return list;
}

[[noreturn]] void vanish(int status = 137) {
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

void undo_name(const Renamed& each) {
  if (each.from.empty()) {
    syscall(SYS_unlink, each.to.c_str());
  } else {
    syscall(SYS_rename, each.to.c_str(), each.from.c_str());
  }
  if (!each.replaced.empty()) syscall(SYS_rename, each.replaced.c_str(), each.to.c_str());
}

void forget_names() {
  for (const Unlinked& each : unlinked()) syscall(SYS_unlink, each.kept.c_str());
  for (const Renamed& each : renamed()) {
    if (!each.replaced.empty()) syscall(SYS_unlink, each.replaced.c_str());
  }
  unlinked().clear();
  renamed().clear();
}

// A disk keeps any of what it was not asked to keep: of each file, from some write on, nothing; from some name on,
// nothing; and unlinked files come back.
[[noreturn]] void lose_power(int status = 137) {
  unsigned seed = static_cast<unsigned>(std::atol(setting("FAULT_SEED"))) * 2654435761u + 12345u;
  const auto draw = [&] { return (seed = seed * 1664525u + 1013904223u) >> 16; };
  auto& list = unsynced();
  std::map<ino_t, std::size_t> writes, kept;
  for (const Unsynced& each : list) ++writes[each.file];
  for (const auto& [file, count] : writes) kept[file] = draw() % (count + 1);
  for (std::size_t i = list.size(); i-- > 0;) {
    const Unsynced& each = list[i];
    if (writes[each.file]-- <= kept[each.file]) continue;
    const int descriptor = keepers()[each.file];
    if (!each.before.empty()) syscall(SYS_pwrite64, descriptor, each.before.data(), each.before.size(), each.offset);
    syscall(SYS_ftruncate, descriptor, each.size);
  }
  for (const Unlinked& each : unlinked()) {
    if (draw() % 2 == 0) syscall(SYS_rename, each.kept.c_str(), each.path.c_str());
  }
  auto& names = renamed();
  const std::size_t named = names.empty() ? 0 : draw() % (names.size() + 1);
  while (names.size() > named) {
    undo_name(names.back());
    names.pop_back();
  }
  forget_names();
  vanish(status);
}

bool is_file(int descriptor) {
  struct stat status{};
  return descriptor > 2 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// True: the call must fail, and errno says how.
bool fails(const char* name) {
  const long call = ++calls;
  if (*setting("FAULT_COUNT") != '\0') {
    const std::lock_guard lock(mutex);
    names_of_calls().emplace_back(name);
  }
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
  const std::lock_guard lock(mutex);
  int& keeper = keepers()[status.st_ino];
  if (keeper == 0) {
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    keeper = static_cast<int>(syscall(SYS_open, path.c_str(), O_RDWR | O_CLOEXEC));
  }
  std::string before(count, '\0');
  const ssize_t there = syscall(SYS_pread64, keeper, before.data(), count, offset);
  before.resize(there < 0 ? 0 : static_cast<std::size_t>(there));
  unsynced().push_back({status.st_ino, offset, std::move(before), status.st_size});
}

bool exists(const char* path) {
  struct stat status{};
  return lstat(path, &status) == 0;
}

// A name that the folder has not yet been asked to keep.
void remember_name(const char* from, const char* to, const std::string& replaced = {}) {
  if (kKind != "power") return;
  const std::lock_guard lock(mutex);
  renamed().push_back({from, to, replaced});
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
  if (fstat(descriptor, &status) != 0) return;
  std::erase_if(unsynced(), [&](const Unsynced& each) { return each.file == status.st_ino; });
  if (S_ISDIR(status.st_mode)) forget_names();
}

void at_exit(int status, void*) {
  if (kKind == "power" && kAt > calls) lose_power(status);
  const char* const path = setting("FAULT_COUNT");
  if (*path == '\0') return;
  if (std::FILE* file = std::fopen(path, "w")) {
    for (const std::string& each : names_of_calls()) std::fprintf(file, "%s\n", each.c_str());
    std::fclose(file);
  }
}

struct AtExit {
  AtExit() { on_exit(at_exit, nullptr); }
} registered;

// Of a call that may make a file: whether it would.
bool makes_file(const char* path, int flags) {
  return (flags & O_TMPFILE) == O_TMPFILE || ((flags & O_CREAT) != 0 && !exists(path));
}

template <class Call>
int open_with(const char* path, int flags, const Call& call) {
  const bool makes = makes_file(path, flags);
  if (makes && fails("open")) return -1;
  const int descriptor = call();
  if (makes && descriptor >= 0 && (flags & O_CREAT) != 0) remember_name("", path);
  return descriptor;
}

// What a rename replaces stays under another name until the folder is synced.
std::string kept_aside(const char* path) {
  if (kKind != "power" || !exists(path)) return "";
  const std::string aside = std::string(path) + ".replaced";
  return syscall(SYS_link, path, aside.c_str()) == 0 ? aside : "";
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto real = next_in_line<ssize_t (*)(int, const void*, size_t)>("write");
  if (is_file(descriptor)) {
    tears(bytes, count, descriptor, -1);
    if (fails("write")) return -1;
    remember(descriptor, lseek(descriptor, 0, SEEK_CUR), count);
  }
  return real(descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
  static const auto real = next_in_line<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
  tears(bytes, count, descriptor, offset);
  if (fails("pwrite64")) return -1;
  remember(descriptor, offset, count);
  return real(descriptor, bytes, count, offset);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
  static const auto real = next_in_line<int (*)(int)>("fsync");
  if (fails("fsync")) return -1;
  const int result = real(descriptor);
  if (result == 0) synced(descriptor);
  return result;
}
int fdatasync(int descriptor) {
  static const auto real = next_in_line<int (*)(int)>("fdatasync");
  if (fails("fdatasync")) return -1;
  const int result = real(descriptor);
  if (result == 0) synced(descriptor);
  return result;
}

time_t time(time_t* out) noexcept {
  static const auto real = next_in_line<time_t (*)(time_t*)>("time");
  const char* const clock = setting("FAULT_CLOCK");
  const time_t now = *clock == '\0' ? real(nullptr) : static_cast<time_t>(std::atoll(clock));
  if (out != nullptr) *out = now;
  return now;
}

int ftruncate64(int descriptor, off64_t size) noexcept {
  static const auto real = next_in_line<int (*)(int, off64_t)>("ftruncate64");
  if (fails("ftruncate64")) return -1;
  return real(descriptor, size);
}
int ftruncate(int descriptor, off_t size) noexcept { return ftruncate64(descriptor, size); }

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
  static const auto real = next_in_line<int (*)(int, int, off64_t, off64_t)>("fallocate64");
  if (fails("fallocate")) return -1;
  return real(descriptor, mode, offset, length);
}
int fallocate(int descriptor, int mode, off_t offset, off_t length) {
  return fallocate64(descriptor, mode, offset, length);
}

int fchmod(int descriptor, mode_t mode) noexcept {
  static const auto real = next_in_line<int (*)(int, mode_t)>("fchmod");
  if (fails("fchmod")) return -1;
  return real(descriptor, mode);
}

int open64(const char* path, int flags, ...) {
  static const auto real = next_in_line<int (*)(const char*, int, ...)>("open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return open_with(path, flags, [&] { return real(path, flags, mode); });
}
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return open64(path, flags, mode);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next_in_line<int (*)(const char*, const char*)>("rename");
  if (fails("rename")) return -1;
  const std::string aside = kept_aside(to);
  const int result = real(from, to);
  if (result == 0) remember_name(from, to, aside);
  return result;
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  static const auto real = next_in_line<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
  if (fails("renameat2")) return -1;
  const int result = real(from_folder, from, to_folder, to, flags);
  if (result == 0) remember_name(from, to);
  return result;
}

int link(const char* from, const char* to) noexcept {
  static const auto real = next_in_line<int (*)(const char*, const char*)>("link");
  if (fails("link")) return -1;
  const int result = real(from, to);
  if (result == 0) remember_name("", to);
  return result;
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static const auto real = next_in_line<int (*)(int, const char*, int, const char*, int)>("linkat");
  if (fails("linkat")) return -1;
  const int result = real(from_folder, from, to_folder, to, flags);
  if (result == 0) remember_name("", to);
  return result;
}

int unlink(const char* path) noexcept {
  static const auto real = next_in_line<int (*)(const char*)>("unlink");
  if (fails("unlink")) return -1;
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
