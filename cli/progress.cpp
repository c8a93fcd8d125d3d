// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace dperm::cli {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// ", about 40 s left" once that can be told.
std::string left_text(double elapsed, double share) {
  if (elapsed < 1 || share < 0.01) return "";
  const double left = elapsed * (1 - share) / share;
  if (left < 1) return "";
  return left < 120 ? fmt::format(", about {:.0f} s left", left) : fmt::format(", about {:.0f} min left", left / 60);
}

// Bytes of this process in memory, rows that are mapped from a file among them; 0 where the system does not say.
double resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long long all = 0, resident = 0;
  const int read = std::fscanf(file, "%llu %llu", &all, &resident);
  std::fclose(file);
  return read == 2 ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

std::string memory_text() {
  const double bytes = resident_bytes();
  return bytes > 0 ? fmt::format(", {:.0f} MB of memory", bytes / 1e6) : "";
}

void draw(const std::string& line) {
  std::fputs(("\r" + line + "\033[K").c_str(), stderr);
  std::fflush(stderr);
}

constexpr double kBetween = 0.1;  // seconds
constexpr std::chrono::seconds kMoment(3);

}  // namespace

methods::Progress terminal_progress() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [start = Clock::now(), drawn = 0.0](std::size_t step, std::size_t steps) mutable {
    constexpr std::size_t kWidth = 40;
    const double elapsed = since(start);
    if (step > 1 && elapsed < drawn + kBetween) return;
    drawn = elapsed;
    const std::size_t filled = kWidth * step / steps;
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    draw(fmt::format("[{:=<{}}{:{}}] step {} of {}{}{}", "", filled, "", kWidth - filled, step, steps,
                     left_text(elapsed, share), memory_text()));
  };
}

std::function<void(std::size_t rows, double share)> reading_progress() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [start = Clock::now(), drawn = 0.0](std::size_t rows, double share) mutable {
    const double elapsed = since(start);
    if (elapsed < drawn + kBetween || elapsed < 1) return;
    drawn = elapsed;
    draw(fmt::format("{:.1f} million rows read{}{}", static_cast<double>(rows) / 1e6, left_text(elapsed, share),
                     memory_text()));
  };
}

SlowNote::SlowNote(std::string line) {
  thread_ = std::thread([this, line = std::move(line)] {
    std::unique_lock lock(guard_);
    if (!ended_.wait_for(lock, kMoment, [this] { return done_; })) {
      std::fputs((line + "\n").c_str(), stderr);
    }
  });
}

SlowNote::~SlowNote() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(guard_);
    done_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void clear_progress() { std::fputs("\r\033[K", stderr); }

}  // namespace dperm::cli
