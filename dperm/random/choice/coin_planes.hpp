// SPDX-License-Identifier: Apache-2.0
// Internal: thousands of coins at once, of probability exactly a double. Proof note: coin_sample.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dperm::random::detail {

inline constexpr std::size_t kPlaneWords = 64;
using Plane = std::array<std::uint64_t, kPlaneWords>;  // one bit for each of 4096 rows

// [proof random_coins.planes]
// The binary digits of a number in [0, 1), the first one worth 1/2.
class Digits {
 public:
  explicit Digits(double number) : rest_(number) {}
  bool any_left() const { return rest_ > 0; }
  bool next() {
    rest_ *= 2;  // exact, and so is the subtraction
    if (rest_ < 1) return false;
    rest_ -= 1;
    return true;
  }

 private:
  double rest_;
};

// Bit j of `below` becomes 1 if the uniform number whose digits are bit j of successive planes is below `rate` < 1.
// `next()` returns a plane of fair bits; it is asked for no more planes than decide all coins.
template <class NextPlane>
void toss(double rate, NextPlane&& next, Plane& below) {
  Plane equal_so_far;
  equal_so_far.fill(~std::uint64_t{0});
  below.fill(0);
  std::uint64_t undecided = 1;
  for (Digits digits(rate); undecided != 0 && digits.any_left();) {
    const Plane& plane = next();
    undecided = 0;
    if (digits.next()) {
      for (std::size_t w = 0; w < kPlaneWords; ++w) {
        below[w] |= equal_so_far[w] & ~plane[w];
        equal_so_far[w] &= plane[w];
        undecided |= equal_so_far[w];
      }
    } else {
      for (std::size_t w = 0; w < kPlaneWords; ++w) {
        equal_so_far[w] &= ~plane[w];
        undecided |= equal_so_far[w];
      }
    }
  }
}
// [/proof]

}  // namespace dperm::random::detail
