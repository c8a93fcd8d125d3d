// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

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

void clear_progress() { std::fputs("\r\033[K", stderr); }

}  // namespace dperm::cli
