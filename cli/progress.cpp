// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace dperm::cli {

methods::Progress terminal_progress() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [](std::size_t step, std::size_t steps) {
    constexpr std::size_t kWidth = 40;
    const std::size_t filled = kWidth * step / steps;
    if (step > 1 && filled == kWidth * (step - 1) / steps) return;
    const std::string bar = fmt::format("\r[{:=<{}}{:{}}] step {} of {}", "", filled, "", kWidth - filled, step, steps);
    std::fputs(bar.c_str(), stderr);
    std::fflush(stderr);
  };
}

SlowNote::SlowNote(std::string line) {
  if (isatty(STDERR_FILENO) == 0) return;
  thread_ = std::thread([this, line = std::move(line)] {
    std::unique_lock lock(guard_);
    if (!ended_.wait_for(lock, std::chrono::seconds(2), [this] { return done_; })) {
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
