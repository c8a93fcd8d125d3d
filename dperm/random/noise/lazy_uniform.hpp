// SPDX-License-Identifier: Apache-2.0
// Internal: a uniform real in (0, 1) of which only the first binary digits are drawn, more when a decision needs them.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <vector>

#include "dperm/random/bits.hpp"

namespace dperm::random::detail {

class LazyUniform {
 public:
  // The first `head_bits` (1 to 64) digits, as the integer they spell.
  LazyUniform(std::uint64_t head, unsigned head_bits) : head_(head), head_bits_(head_bits) {}

  // 64 more digits.
  void extend(BitSource& bits) { tail_.push_back(bits.next()); }

  bool only_head() const { return tail_.empty(); }
  std::uint64_t head() const { return head_; }
  unsigned digits() const { return head_bits_ + 64 * static_cast<unsigned>(tail_.size()); }

  // The real lies between cell() / 2^digits() and (cell() + 1) / 2^digits().
  mpz_class cell() const {
    mpz_class digits_so_far(static_cast<unsigned long>(head_));
    for (const std::uint64_t word : tail_) {
      digits_so_far <<= 64;
      digits_so_far += static_cast<unsigned long>(word);
    }
    return digits_so_far;
  }

 private:
  std::uint64_t head_;
  unsigned head_bits_;
  std::vector<std::uint64_t> tail_;
};

}  // namespace dperm::random::detail
