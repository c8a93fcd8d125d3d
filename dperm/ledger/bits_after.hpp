// SPDX-License-Identifier: Apache-2.0
// Bits that cannot be drawn before what they cost is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "dperm/random/bits.hpp"

namespace dperm::ledger {

// `reserve` has returned once before the first bit is drawn.
class BitsAfter final : public random::BitSource {
 public:
  BitsAfter(random::BitSource& bits, std::function<void()> reserve) : bits_(bits), reserve_(std::move(reserve)) {}

  std::uint64_t next() override {
    reserve_first();
    return bits_.next();
  }
  void fill(std::span<std::uint64_t> out) override {
    reserve_first();
    bits_.fill(out);
  }
  bool secure() const override { return bits_.secure(); }

 private:
  void reserve_first() {
    if (reserve_) std::exchange(reserve_, nullptr)();
  }

  random::BitSource& bits_;
  std::function<void()> reserve_;
};

}  // namespace dperm::ledger
