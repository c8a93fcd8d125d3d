// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/noise/lazy_normal.hpp"

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/random/real.hpp"

namespace dperm::random::detail {
namespace {

__extension__ typedef unsigned __int128 Wide;
constexpr unsigned kCoinBits = 32;     // digits of the acceptance uniform that come with the proposal
constexpr unsigned kCountedBits = 31;  // digits of the same word that count out the whole part; the last is the sign

// [proof random_gaussian.proposal]
struct Proposal {
  LazyNormal normal;
  LazyUniform coin;
};

Proposal propose(BitSource& bits) {
  const std::uint64_t word = bits.next();
  const std::uint64_t counted = (word >> 1) & ((std::uint64_t{1} << kCountedBits) - 1);
  std::uint64_t whole = 0;
  if (counted != 0) {
    whole = static_cast<std::uint64_t>(std::countr_zero(counted));
  } else {
    whole = kCountedBits;
    std::uint64_t more = bits.next();
    for (; more == 0; more = bits.next()) whole += 64;
    whole += static_cast<std::uint64_t>(std::countr_zero(more));
  }
  return {LazyNormal{(word & 1) != 0, whole, LazyUniform(bits.next(), 64)}, LazyUniform(word >> kCoinBits, kCoinBits)};
}
// [/proof]

// [proof random_gaussian.acceptance_fast]
// Accept with probability 2^(whole - 1) exp((1 - t^2) / 2), t the proposed magnitude.
std::optional<bool> decide_in_double(const Proposal& proposal, double margin) {
  const std::uint64_t whole = proposal.normal.whole;
  double probability = 0;
  if (whole < 64) {
    const double t = static_cast<double>(whole) + static_cast<double>(proposal.normal.fraction.head()) * 0x1p-64;
    probability = static_cast<double>(std::uint64_t{1} << whole) * 0.5 * std::exp(0.5 - 0.5 * t * t);
  }
  const double coin = static_cast<double>(proposal.coin.head()) * 0x1p-32;
  if (coin + 0x1p-32 <= probability - margin) return true;
  if (coin >= probability + margin) return false;
  return std::nullopt;
}
// [/proof]

// [proof random_gaussian.acceptance_slow]
// Into `out` 2^(whole - 1) exp((1 - (cell / 2^digits)^2) / 2), rounded in the given direction.
void bound_probability(Real& out, std::uint64_t whole, const mpz_class& cell, unsigned digits, mpfr_rnd_t direction) {
  const mpz_class one_less_square = (mpz_class(1) << (2 * digits)) - cell * cell;
  mpfr_set_z_2exp(out.get(), one_less_square.get_mpz_t(), -static_cast<mpfr_exp_t>(2 * digits + 1), direction);
  mpfr_exp(out.get(), out.get(), direction);
  mpfr_mul_2si(out.get(), out.get(), static_cast<long>(whole) - 1, direction);
}

bool decide_exactly(BitSource& bits, Proposal& proposal) {
  for (mpfr_prec_t precision = 128;; precision += 64) {
    const mpz_class near = proposal.normal.cell();
    const mpz_class coin = proposal.coin.cell();
    const mpz_class coin_end = coin + 1;
    const auto coin_digits = static_cast<mpfr_exp_t>(proposal.coin.digits());
    Real lower(precision), upper(precision);
    bound_probability(lower, proposal.normal.whole, near + 1, proposal.normal.digits(), MPFR_RNDD);
    bound_probability(upper, proposal.normal.whole, near, proposal.normal.digits(), MPFR_RNDU);
    mpfr_mul_2si(lower.get(), lower.get(), coin_digits, MPFR_RNDD);
    mpfr_mul_2si(upper.get(), upper.get(), coin_digits, MPFR_RNDU);
    if (mpfr_cmp_z(lower.get(), coin_end.get_mpz_t()) >= 0) return true;
    if (mpfr_cmp_z(upper.get(), coin.get_mpz_t()) <= 0) return false;
    proposal.normal.fraction.extend(bits);
    proposal.coin.extend(bits);
  }
}
// [/proof]

// [proof random_gaussian.rounding]
// sigma = mantissa * 2^exponent with an integer mantissa below 2^53.
std::pair<std::uint64_t, int> split(double sigma) {
  int exponent = 0;
  const double fraction = std::frexp(sigma, &exponent);
  return {static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

// The floor of every real strictly between low / 2^shift and (low + width) / 2^shift, if they share one.
template <class Integer>
std::optional<Integer> common_floor(const Integer& low, std::uint64_t width, unsigned shift) {
  const Integer first = low >> shift;
  const Integer last = (low + width - 1) >> shift;
  if (first == last) return first;
  return std::nullopt;
}
// [/proof]

}  // namespace

// [proof random_gaussian.loop]
LazyNormal draw_normal(BitSource& bits, const Shortcuts& shortcuts) {
  for (;;) {
    Proposal proposal = propose(bits);
    const std::optional<bool> quick = decide_in_double(proposal, shortcuts.acceptance_margin);
    if (quick ? *quick : decide_exactly(bits, proposal)) return std::move(proposal.normal);
  }
}
// [/proof]

// [proof random_gaussian.round_multiple]
std::int64_t round_multiple(BitSource& bits, double sigma, LazyNormal normal, const Shortcuts& shortcuts) {
  const auto [mantissa, exponent] = split(sigma);
  // Below 1024 the product has at most 53 + 74 bits. Beyond 64 digits the big integers know more.
  if (shortcuts.word_rounding && normal.whole < 1024 && normal.fraction.only_head()) {
    const Wide cell = (static_cast<Wide>(normal.whole) << 64) | normal.fraction.head();
    const auto shift = static_cast<unsigned>(64 - exponent);
    const auto magnitude = common_floor<Wide>(mantissa * cell + (static_cast<Wide>(1) << (shift - 1)), mantissa, shift);
    if (magnitude) {
      const auto value = static_cast<std::int64_t>(*magnitude);
      return normal.negative ? -value : value;
    }
  }
  for (;; normal.fraction.extend(bits)) {
    const auto shift = static_cast<unsigned>(static_cast<int>(normal.digits()) - exponent);
    const mpz_class low = normal.cell() * static_cast<unsigned long>(mantissa) + (mpz_class(1) << (shift - 1));
    const auto magnitude = common_floor<mpz_class>(low, mantissa, shift);
    if (!magnitude) continue;
    ensure(magnitude->fits_slong_p(), "Gaussian noise exceeds 64 bits");
    return normal.negative ? -magnitude->get_si() : magnitude->get_si();
  }
}
// [/proof]

}  // namespace dperm::random::detail
