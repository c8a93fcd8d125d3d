// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/interrupt.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace dperm {
namespace {

TEST(InterruptTest, WithoutAScopeNothingHappens) { EXPECT_NO_THROW(InterruptCheck()()); }

TEST(InterruptTest, WhatTheScopeThrowsEndsTheComputation) {
  int looks = 0;
  const InterruptScope scope([&] {
    if (++looks == 3) throw std::runtime_error("enough");
  });
  const InterruptCheck check;
  check();
  check();
  EXPECT_THROW(check(), std::runtime_error);
}

TEST(InterruptTest, TheInnermostScopeLooksUntilItEnds) {
  int outer = 0, inner = 0;
  const InterruptScope first([&] { ++outer; });
  {
    const InterruptScope second([&] { ++inner; });
    InterruptCheck()();
  }
  InterruptCheck()();
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
}

// A thread that waits may run parts of another one's computation: an interrupt of its own must not end those.
TEST(InterruptTest, OtherThreadsDoNotLook) {
  int mine = 0, theirs = 0;
  const InterruptScope scope([&] { ++mine; });
  const InterruptCheck check;
  std::thread([&] {
    const InterruptScope other([&] { ++theirs; });
    check();
  }).join();
  EXPECT_EQ(mine, 0);
  EXPECT_EQ(theirs, 0);
}

}  // namespace
}  // namespace dperm
