// SPDX-License-Identifier: Apache-2.0
// Loaded before the C library: the clock, random bytes and the process number are the same in every run, so that two
// runs can differ by their records alone; and every file that is made, renamed or removed is written down.
//   FROZEN_LOG    a file to which those are written, a line each; a file that is removed with its size and a digest
//   FROZEN_STEP   nanoseconds that the clock moves with every look at it; default: it stands still
// frozen_reset() begins anew, for several runs within one process.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

namespace {

constexpr std::int64_t kStart = 1'900'000'800;  // a full hour, after every file of this machine
constexpr std::int64_t kSecond = 1'000'000'000;

const char* setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::atomic<std::int64_t> looks{0};
constexpr std::size_t kLibraries = 64;
std::atomic<const void*> owners[kLibraries] = {};
std::atomic<std::uint64_t> drawn[kLibraries] = {};

std::int64_t nanoseconds() {
  static const std::int64_t step = std::atoll(setting("FROZEN_STEP"));
  return kSecond + step * looks++;
}

std::int64_t date() { return kStart * kSecond + nanoseconds(); }

// How many words a library has drawn. Each has a stream of its own: what the threads of another one draw for their hash
// tables, and when, must not change the noise.
std::atomic<std::uint64_t>& drawn_by(const void* caller) {
  Dl_info found = {};
  const void* library = dladdr(caller, &found) != 0 ? found.dli_fbase : caller;
  std::size_t place = 0;
  for (; place + 1 < kLibraries; ++place) {
    const void* owner = nullptr;
    if (owners[place].compare_exchange_strong(owner, library) || owner == library) break;
  }
  return drawn[place];
}

// SplitMix64: bytes that look random and are not.
void fill(unsigned char* bytes, std::size_t size, std::atomic<std::uint64_t>& count) {
  for (std::size_t at = 0; at < size; at += 8) {
    std::uint64_t word = (++count) * 0x9e3779b97f4a7c15ULL;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
    word ^= word >> 31;
    std::memcpy(bytes + at, &word, size - at < 8 ? size - at : 8);
  }
}

// What a file holds, as a word.
std::string digest_of(int folder, const char* path) {
  const long file = syscall(SYS_openat, folder, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return "-";
  std::uint64_t hash = 0xcbf29ce484222325ULL, size = 0;
  unsigned char part[4096];
  for (long got = 0; (got = syscall(SYS_read, file, part, sizeof part)) > 0; size += static_cast<std::uint64_t>(got)) {
    for (long i = 0; i < got; ++i) hash = (hash ^ part[i]) * 0x100000001b3ULL;
  }
  syscall(SYS_close, file);
  char text[64];
  std::snprintf(text, sizeof text, "%llu bytes %016llx", static_cast<unsigned long long>(size),
                static_cast<unsigned long long>(hash));
  return text;
}

void log(const std::string& line) {
  static const char* const path = setting("FROZEN_LOG");
  if (*path == '\0') return;
  const int kept = errno;
  const std::string whole = line + "\n";
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) {
    syscall(SYS_write, file, whole.data(), whole.size());
    syscall(SYS_close, file);
  }
  errno = kept;
}

bool is_random_device(const char* path) {
  return std::strcmp(path, "/dev/urandom") == 0 || std::strcmp(path, "/dev/random") == 0;
}

int random_file() {
  unsigned char bytes[1 << 16];
  std::atomic<std::uint64_t> none = 0;
  fill(bytes, sizeof bytes, none);
  const int file = static_cast<int>(syscall(SYS_memfd_create, "random", 0));
  syscall(SYS_write, file, bytes, sizeof bytes);
  lseek(file, 0, SEEK_SET);
  return file;
}

int opened(int folder, const char* path, int flags, mode_t mode) {
  if (is_random_device(path)) return random_file();
  const bool nameless = (flags & O_TMPFILE) == O_TMPFILE, made = nameless || (flags & O_CREAT) != 0;
  if (made && std::strncmp(path, "/dev/", 5) != 0) {
    char rights[16];
    std::snprintf(rights, sizeof rights, "%o", mode);
    log((nameless ? "nameless in " : "open to make ") + std::string(path) + " " + rights);
  }
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

void frozen_reset() {
  looks = 0;
  for (auto& each : drawn) each = 0;
}

// Clocks without a date begin near 0: whoever waits until a moment of theirs has waited long enough.
int clock_gettime(clockid_t clock, timespec* time) {
  const std::int64_t now = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? date() : nanoseconds();
  *time = {now / kSecond, now % kSecond};
  return 0;
}

time_t time(time_t* out) {
  const time_t now = date() / kSecond;
  if (out != nullptr) *out = now;
  return now;
}

int gettimeofday(timeval* time, void*) {
  const std::int64_t now = date();
  *time = {now / kSecond, now % kSecond / 1000};
  return 0;
}

pid_t getpid() { return 4242; }

ssize_t getrandom(void* bytes, size_t size, unsigned) {
  fill(static_cast<unsigned char*>(bytes), size, drawn_by(__builtin_return_address(0)));
  return static_cast<ssize_t>(size);
}

int getentropy(void* bytes, size_t size) {
  fill(static_cast<unsigned char*>(bytes), size, drawn_by(__builtin_return_address(0)));
  return 0;
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(folder, path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));

FILE* fopen(const char* path, const char* mode) {
  if (*mode != 'r') log("open to make " + std::string(path));
  static const auto next = reinterpret_cast<FILE* (*)(const char*, const char*)>(dlsym(RTLD_NEXT, "fopen64"));
  return next(path, mode);
}
FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));

int memfd_create(const char* name, unsigned flags) {
  log("in memory " + std::string(name));
  return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}

int mkdir(const char* path, mode_t mode) {
  log("folder " + std::string(path));
  return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

int unlinkat(int folder, const char* path, int flags) {
  log("remove " + std::string(path) + " " + digest_of(folder, path));
  return static_cast<int>(syscall(SYS_unlinkat, folder, path, flags));
}

int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }

int rename(const char* from, const char* to) {
  log("rename " + std::string(from) + " to " + to + " " + digest_of(AT_FDCWD, to));
  return static_cast<int>(syscall(SYS_rename, from, to));
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  log("link " + std::string(to));
  return static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

}  // extern "C"
