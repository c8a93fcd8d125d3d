// SPDX-License-Identifier: Apache-2.0
// How a caller ends a long computation in the middle: by a function of its own, which the library calls every few
// milliseconds on the thread that called it, between blocks of rows, and which may throw. It is told nothing. When a
// computation ends in the middle may depend on records, so what it was to cost counts as spent.
#pragma once

#include <functional>

namespace dperm {

// While it lives, what this thread asks of the library calls `look` now and then.
class InterruptScope {
 public:
  explicit InterruptScope(std::function<void()> look);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  friend class InterruptCheck;
  std::function<void()> look_;
  const InterruptScope* outer_;
};

// Made where a computation starts, called wherever its parts run. Only the thread that started it looks: helpers, and
// threads that lend a hand to somebody else's computation, do not.
class InterruptCheck {
 public:
  InterruptCheck();
  void operator()() const;

 private:
  const InterruptScope* scope_;
};

}  // namespace dperm
