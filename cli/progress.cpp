// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace dperm::cli {

methods::Progress terminal_progress() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [](std::size_t step, std::size_t steps) {
    constexpr std::size_t kWidth = 40;
    const std::size_t filled = kWidth * step / steps;
    if (filled == kWidth * (step - 1) / steps && step != steps) return;
    fmt::print(stderr, "\r[{:=<{}}{:{}}] step {} of {}", "", filled, "", kWidth - filled, step, steps);
    if (step == steps) fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  };
}

}  // namespace dperm::cli
