// SPDX-License-Identifier: Apache-2.0
// The body of a parallel loop. It tells the thread sanitizer what the loop orders: the sanitizer cannot see into
// oneTBB, which comes without its instrumentation. In other builds it only calls the body.
#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace dperm {

// What happens before it is made comes before every task of the loop; every task comes before join(). `body` must live
// as long.
template <class Body>
class ForkJoin {
 public:
  explicit ForkJoin(const Body& body) : body_(body) { release(&fork_); }
  ForkJoin(const ForkJoin&) = delete;
  ForkJoin& operator=(const ForkJoin&) = delete;
  ~ForkJoin() { join(); }
  void join() const { acquire(&join_); }

  // To be given to the loop, which may copy it.
  class Task {
   public:
    explicit Task(const ForkJoin& loop) : loop_(&loop) {}
    template <class Part>
    void operator()(const Part& part) const {
      acquire(&loop_->fork_);
      const End end{loop_};
      loop_->body_(part);
    }

   private:
    const ForkJoin* loop_;
  };
  Task task() const { return Task(*this); }

 private:
  struct End {
    const ForkJoin* loop;
    ~End() { release(&loop->join_); }
  };
#ifdef __SANITIZE_THREAD__
  static void acquire(const char* at) { __tsan_acquire(const_cast<char*>(at)); }
  static void release(const char* at) { __tsan_release(const_cast<char*>(at)); }
#else
  static void acquire(const char*) {}
  static void release(const char*) {}
#endif

  const Body& body_;
  char fork_ = 0, join_ = 0;
};

}  // namespace dperm
