// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/repetitions.hpp"

#include <mpfr.h>

#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/random/noise/lazy_uniform.hpp"
#include "dperm/random/real.hpp"

namespace dperm::random {
namespace {

using detail::LazyUniform;
using detail::Real;

constexpr mpfr_prec_t kGuardBits = 128;

mpfr_rnd_t opposite(mpfr_rnd_t rounding) { return rounding == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU; }

// [proof random_repetitions.distributions]
// A distribution on least, least + 1, ...: its first probability, and the step from k to k + 1, both rounded as asked.
// Every number in them is positive.
struct Poisson {
  double mean;
  static constexpr std::uint64_t least = 0;

  double centre() const { return mean; }
  void first(mpfr_ptr term, mpfr_rnd_t rounding) const {
    mpfr_set_d(term, -mean, rounding);
    mpfr_exp(term, term, rounding);
  }
  void advance(mpfr_ptr term, std::uint64_t k, mpfr_rnd_t rounding) const {
    mpfr_mul_d(term, term, mean, rounding);
    mpfr_div_ui(term, term, k + 1, rounding);
  }
};

struct TruncatedNegativeBinomial {
  double shape, success;
  static constexpr std::uint64_t least = 1;

  double centre() const { return (shape + 1) / success; }
  // (1 - success) divided by (success^-shape - 1) / shape, which tends to ln(1/success) for shape 0.
  void first(mpfr_ptr term, mpfr_rnd_t rounding) const {
    const mpfr_rnd_t other = opposite(rounding);
    Real divisor(mpfr_get_prec(term));
    mpfr_set_d(divisor.get(), success, rounding);
    mpfr_log(divisor.get(), divisor.get(), rounding);
    mpfr_neg(divisor.get(), divisor.get(), other);
    if (shape > 0) {
      mpfr_mul_d(divisor.get(), divisor.get(), shape, other);
      mpfr_expm1(divisor.get(), divisor.get(), other);
      mpfr_div_d(divisor.get(), divisor.get(), shape, other);
    }
    mpfr_set_d(term, success, other);
    mpfr_ui_sub(term, 1, term, rounding);
    mpfr_div(term, term, divisor.get(), rounding);
  }
  void advance(mpfr_ptr term, std::uint64_t k, mpfr_rnd_t rounding) const {
    Real factor(mpfr_get_prec(term));
    mpfr_set_d(factor.get(), success, opposite(rounding));
    mpfr_ui_sub(factor.get(), 1, factor.get(), rounding);
    mpfr_mul(term, term, factor.get(), rounding);
    mpfr_set_d(factor.get(), shape, rounding);
    mpfr_add_ui(factor.get(), factor.get(), k, rounding);
    mpfr_mul(term, term, factor.get(), rounding);
    mpfr_div_ui(term, term, k + 1, rounding);
  }
};
// [/proof]

// [proof random_repetitions.inverse]
// The count k with F(k - 1) <= u < F(k), F the distribution function, if it is the same for every u whose first digits
// are the ones drawn so far.
template <class Distribution>
std::optional<std::uint64_t> count_at(const LazyUniform& uniform, const Distribution& distribution) {
  const auto digits = static_cast<mpfr_prec_t>(uniform.digits());
  const mpfr_prec_t precision = digits + kGuardBits;
  Real from(precision), to(precision), low(precision), high(precision), low_sum(precision), high_sum(precision);
  const mpz_class cell = uniform.cell();
  mpfr_set_z_2exp(from.get(), cell.get_mpz_t(), -digits, MPFR_RNDN);  // exact, and so is the other end
  const mpz_class cell_end = cell + 1;
  mpfr_set_z_2exp(to.get(), cell_end.get_mpz_t(), -digits, MPFR_RNDN);
  mpfr_set_zero(low_sum.get(), 1);
  mpfr_set_zero(high_sum.get(), 1);
  distribution.first(low.get(), MPFR_RNDD);
  distribution.first(high.get(), MPFR_RNDU);
  for (std::uint64_t k = Distribution::least;; ++k) {
    const bool above_last = mpfr_lessequal_p(high_sum.get(), from.get()) != 0;
    mpfr_add(low_sum.get(), low_sum.get(), low.get(), MPFR_RNDD);
    mpfr_add(high_sum.get(), high_sum.get(), high.get(), MPFR_RNDU);
    if (mpfr_greaterequal_p(low_sum.get(), to.get()) != 0) return above_last ? std::optional(k) : std::nullopt;
    // So far out in the tail only more digits can help.
    const bool tail =
        static_cast<double>(k) > distribution.centre() && mpfr_get_exp(high.get()) < -(digits + kGuardBits / 2);
    if (tail) return std::nullopt;
    distribution.advance(low.get(), k, MPFR_RNDD);
    distribution.advance(high.get(), k, MPFR_RNDU);
  }
}

template <class Distribution>
std::uint64_t draw(BitSource& bits, const Distribution& distribution) {
  LazyUniform uniform(bits.next(), 64);
  for (;;) {
    if (const auto count = count_at(uniform, distribution)) return *count;
    uniform.extend(bits);
  }
}
// [/proof]

}  // namespace

std::uint64_t poisson(BitSource& bits, double mean) {
  require_positive_finite("mean", mean);
  require_in_closed_range("mean", mean, 0, kLargestPoissonMean);
  return draw(bits, Poisson{mean});
}

std::uint64_t truncated_negative_binomial(BitSource& bits, double shape, double success) {
  require_in_closed_range("shape", shape, 0, 1000);
  require_in_closed_range("success", success, kLeastSuccess, 1);
  require_in_open_range("success", success, 0, 1);
  return draw(bits, TruncatedNegativeBinomial{shape, success});
}

}  // namespace dperm::random
