// SPDX-License-Identifier: Apache-2.0
// Proof note: dperm/privacy/composition/accountant.md.
#include "dperm/privacy/calibration/calibration.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/exact_real.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/random/noise/laplace.hpp"

namespace dperm::privacy {
namespace {

using detail::ExactReal;

constexpr mpfr_prec_t kPrecision = 256;
constexpr int kScaleBits = 61;  // one less than the sampler accepts, so that rounding up cannot cross its limit

void require_repetitions(std::int64_t repetitions) {
  require(repetitions >= 1, "repetitions", fmt::format("must be at least 1; got {}", repetitions));
}

void require_useful_delta(double delta) {
  require(delta > 0 && delta < 1, fmt::format("Gaussian noise needs a delta strictly between 0 and 1; got {}", delta));
}

}  // namespace

void require_meaningful_epsilon(double epsilon) {
  require_positive_finite("epsilon", epsilon);
  require(epsilon <= kMaximumEpsilon, "epsilon",
          fmt::format("must be at most {}; got {}, which gives no privacy", kMaximumEpsilon, epsilon));
}

// [proof privacy_accountant.sigma]
double sigma_for(double l2_sensitivity, double epsilon, double delta, std::int64_t repetitions) {
  require_positive_finite("l2_sensitivity", l2_sensitivity);
  require_meaningful_epsilon(epsilon);
  require_useful_delta(delta);
  require_repetitions(repetitions);
  const double sigma = l2_sensitivity * std::sqrt(static_cast<double>(repetitions)) / mu_for(epsilon, delta);
  require(
      sigma >= 0x1p-900 && sigma <= 0x1p900,
      fmt::format("l2_sensitivity {} at epsilon {} needs a sigma beyond double precision", l2_sensitivity, epsilon));
  // Both directions round to the safe side, so the margin that reconciles them is found by asking the accountant.
  for (double margin = 0x1p-48; margin < 0x1p-20; margin *= 2) {
    const double candidate = sigma * (1 + margin);
    const PrivacyEvent event{
        .what = "", .mechanism = GaussianEvent{l2_sensitivity, candidate}, .repetitions = repetitions};
    if (account({&event, 1}, delta).epsilon <= epsilon) return candidate;
  }
  throw InternalError(fmt::format("no sigma found for epsilon {} and delta {}", epsilon, delta));
}
// [/proof]

double textbook_sigma(double l2_sensitivity, double epsilon, double delta) {
  require_positive_finite("l2_sensitivity", l2_sensitivity);
  require_meaningful_epsilon(epsilon);
  require(epsilon < 1, fmt::format("the textbook formula is proved for epsilon below 1 only; got {}. Use the tight "
                                   "calibration, which holds for every epsilon and adds less noise",
                                   epsilon));
  require_useful_delta(delta);
  return rounded_up(l2_sensitivity * std::sqrt(2 * std::log(1.25 / delta)) / epsilon);
}

// [proof privacy_accountant.scale]
LaplaceScale laplace_scale_for(std::uint64_t l1_sensitivity, double epsilon, std::int64_t repetitions) {
  require(l1_sensitivity > 0, "l1_sensitivity", "must be at least 1; got 0");
  require_meaningful_epsilon(epsilon);
  require_repetitions(repetitions);
  ExactReal scale(kPrecision), count(kPrecision), eps(kPrecision, epsilon);
  mpfr_set_uj(scale.get(), l1_sensitivity, MPFR_RNDN);
  mpfr_set_sj(count.get(), repetitions, MPFR_RNDN);
  mpfr_mul(scale.get(), scale.get(), count.get(), MPFR_RNDU);
  mpfr_div(scale.get(), scale.get(), eps.get(), MPFR_RNDU);
  // scale < 2^exponent: with denominator 2^(61 - exponent) the numerator is about 2^61, which bounds the relative loss
  // of rounding it up.
  const mpfr_exp_t exponent = mpfr_get_exp(scale.get());
  require(mpfr_cmp_d(scale.get(), static_cast<double>(random::kMaximumLaplaceScale)) <= 0,
          fmt::format("epsilon {} for l1_sensitivity {} and {} repetitions needs a Laplace scale above 2^50", epsilon,
                      l1_sensitivity, repetitions));
  const int shift = kScaleBits - static_cast<int>(std::max<mpfr_exp_t>(exponent, 0));
  mpfr_mul_2si(scale.get(), scale.get(), shift, MPFR_RNDU);
  const std::uint64_t numerator = mpfr_get_uj(scale.get(), MPFR_RNDU);
  const int common = std::min(std::countr_zero(numerator), shift);
  return {numerator >> common, std::uint64_t{1} << (shift - common)};
}

double k_norm_scale_for(double l2_sensitivity, double epsilon, std::int64_t repetitions) {
  require_positive_finite("l2_sensitivity", l2_sensitivity);
  require_meaningful_epsilon(epsilon);
  require_repetitions(repetitions);
  ExactReal scale(kPrecision, l2_sensitivity), count(kPrecision);
  mpfr_set_sj(count.get(), repetitions, MPFR_RNDN);
  mpfr_mul(scale.get(), scale.get(), count.get(), MPFR_RNDU);
  mpfr_div_d(scale.get(), scale.get(), epsilon, MPFR_RNDU);
  const double result = mpfr_get_d(scale.get(), MPFR_RNDU);
  require(std::isfinite(result), fmt::format("l2_sensitivity {} at epsilon {} needs a scale beyond double precision",
                                             l2_sensitivity, epsilon));
  return result;
}
// [/proof]

// laplace_scale_for is at most one part in 2^50 above 1 / epsilon.
LaplaceScale choice_scale_of(double epsilon) { return laplace_scale_for(1, epsilon * (1 + 0x1p-40)); }

}  // namespace dperm::privacy
