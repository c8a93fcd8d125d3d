// SPDX-License-Identifier: Apache-2.0
// Internal: a non-negative real known to lie between two numbers, and its rounding when they agree. Proof:
// dperm/random/noise/k_norm.md.
#pragma once

#include <gmpxx.h>
#include <mpfr.h>

#include <cstdint>
#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/random/real.hpp"

namespace dperm::random::detail {

// [proof random_k_norm.bounds]
struct Bounds {
  explicit Bounds(mpfr_prec_t precision) : lower(precision), upper(precision) {}
  Real lower, upper;
};

// The cell of a lazily drawn number.
template <class Lazy>
void set(Bounds& out, const Lazy& lazy) {
  mpz_class cell = lazy.cell();
  const auto digits = static_cast<mpfr_exp_t>(lazy.digits());
  mpfr_set_z_2exp(out.lower.get(), cell.get_mpz_t(), -digits, MPFR_RNDD);
  cell += 1;
  mpfr_set_z_2exp(out.upper.get(), cell.get_mpz_t(), -digits, MPFR_RNDU);
}

// floor(value + 1/2) if both bounds give the same one. Overwrites the bounds.
inline std::optional<std::int64_t> round_if_decided(Bounds& value) {
  mpfr_add_d(value.lower.get(), value.lower.get(), 0.5, MPFR_RNDD);
  mpfr_add_d(value.upper.get(), value.upper.get(), 0.5, MPFR_RNDU);
  mpfr_floor(value.lower.get(), value.lower.get());
  mpfr_floor(value.upper.get(), value.upper.get());
  // Infinite or NaN bounds (a uniform of which all digits so far are 0) are undecided as well.
  if (!mpfr_number_p(value.upper.get()) || !mpfr_equal_p(value.lower.get(), value.upper.get())) return std::nullopt;
  ensure(mpfr_fits_slong_p(value.lower.get(), MPFR_RNDD), "noise exceeds 64 bits");
  return mpfr_get_si(value.lower.get(), MPFR_RNDD);
}
// [/proof]

}  // namespace dperm::random::detail
