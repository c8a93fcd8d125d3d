// SPDX-License-Identifier: Apache-2.0
// Long calls: other Python threads go on, and Ctrl-C is noticed in the middle.
#pragma once

#include <chrono>
#include <utility>

#include "python/src/core.hpp"

namespace dperm::python {

// While it lives, the lock is released, and every now and then Python may look for signals on this thread (only the
// main thread has any to look for); what a handler raises ends the call.
class Watched {
 public:
  Watched() : scope_([this] { look(); }) {}
  ~Watched() = default;
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void look() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kPause) return;
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    last_ = std::chrono::steady_clock::now();
  }

 private:
  // Taking the lock back waits for other threads: seldom enough to cost nothing, often enough for a person.
  static constexpr auto kPause = std::chrono::milliseconds(50);

  nb::gil_scoped_release unlocked_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  InterruptScope scope_;
};

using WatchedCall = nb::call_guard<Watched>;

}  // namespace dperm::python
