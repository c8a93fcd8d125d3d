// SPDX-License-Identifier: Apache-2.0
// Internal: a coin whose probability is a computable real, decided without rounding. Proof note:
// dperm/random/choice/selection.md.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <optional>

#include "dperm/random/noise/lazy_uniform.hpp"
#include "dperm/random/real.hpp"

namespace dperm::random::detail {

// [proof random_selection.coin]
// The comparison of a uniform with `probability`, if it is the same for every real within `margin` of it.
inline std::optional<bool> decide_in_double(std::uint64_t head, double probability, double margin) {
  const double coin = static_cast<double>(head) * 0x1p-64;
  constexpr double kHeadRounding = 0x1p-50;
  if (coin + kHeadRounding <= probability - margin) return true;
  if (coin - kHeadRounding >= probability + margin) return false;
  return std::nullopt;
}

// True with probability p, given the first 64 digits of the uniform it is compared with. `bound(lower, upper)` sets
// two reals around p at the precision they have; `refine()` is called before each closer look, so that p itself may
// depend on a lazily drawn real.
template <class Bound, class Refine>
bool decide_exactly(BitSource& bits, std::uint64_t head, Bound&& bound, Refine&& refine) {
  LazyUniform coin(head, 64);
  for (mpfr_prec_t precision = 256;; precision += 64) {
    Real lower(precision), upper(precision);
    bound(lower, upper);
    const mpz_class cell = coin.cell(), cell_end = cell + 1;
    mpfr_mul_2ui(lower.get(), lower.get(), coin.digits(), MPFR_RNDD);
    mpfr_mul_2ui(upper.get(), upper.get(), coin.digits(), MPFR_RNDU);
    if (mpfr_cmp_z(lower.get(), cell_end.get_mpz_t()) >= 0) return true;
    if (mpfr_cmp_z(upper.get(), cell.get_mpz_t()) <= 0) return false;
    coin.extend(bits);
    refine();
  }
}
// [/proof]

}  // namespace dperm::random::detail
