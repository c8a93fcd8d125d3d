// SPDX-License-Identifier: Apache-2.0
// A progress bar on a terminal, nothing elsewhere; and a note where a computation takes long. Both say public things
// only.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "dperm/methods/method.hpp"

namespace dperm::cli {

// Draws on standard error; empty when standard error is no terminal.
methods::Progress terminal_progress();

// The same while records are read: their number, and the time that is left.
std::function<void(std::size_t rows, double share)> reading_progress();

// Removes the bar: methods need not report their last step.
void clear_progress();

// While it lives: one line on standard error, terminal or not, when a computation takes longer than a moment. For
// computations on public numbers alone: of one on records, the time it takes depends on them.
class SlowNote {
 public:
  explicit SlowNote(std::string line);
  ~SlowNote();
  SlowNote(const SlowNote&) = delete;
  SlowNote& operator=(const SlowNote&) = delete;

 private:
  std::mutex guard_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace dperm::cli
