// SPDX-License-Identifier: Apache-2.0
// Internal: an exactly normal real number, known to as many binary digits as have been asked for. Proof: gaussian.md.
#pragma once

#include <cstdint>

#include "dperm/random/bits.hpp"
#include "dperm/random/noise/lazy_uniform.hpp"

namespace dperm::random::detail {

// The number (negative ? -1 : 1) * (whole + fraction).
struct LazyNormal {
  bool negative;
  std::uint64_t whole;
  LazyUniform fraction;

  // The magnitude lies between cell() / 2^digits() and (cell() + 1) / 2^digits().
  mpz_class cell() const {
    return (mpz_class(static_cast<unsigned long>(whole)) << fraction.digits()) + fraction.cell();
  }
  unsigned digits() const { return fraction.digits(); }
};

// How the fast decisions are taken; tests switch them off to see that the sample stays the same.
struct Shortcuts {
  double acceptance_margin = 0x1p-40;  // 1 or more: no decision in double precision
  bool word_rounding = true;           // false: no rounding in 128-bit integers
};

LazyNormal draw_normal(BitSource& bits, const Shortcuts& shortcuts = {});

// floor(sigma * normal + 1/2); sigma within [kMinimumSigma, kMaximumSigma], unchecked.
std::int64_t round_multiple(BitSource& bits, double sigma, LazyNormal normal, const Shortcuts& shortcuts = {});

}  // namespace dperm::random::detail
