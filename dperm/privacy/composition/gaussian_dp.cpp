// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/gaussian_dp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dperm/core/check.hpp"
#include "dperm/privacy/composition/exact_real.hpp"
#include "dperm/privacy/distributions/normal_mass.hpp"

namespace dperm::privacy {
namespace {

using detail::ExactReal;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Beyond this distance Phi is told from 0 or 1 by its Chernoff bound alone: ln delta is below -2^29.
constexpr double kFar = 0x1p15;
// Above this mu the second term is below 2^-19 of the first and is dropped, which only raises the bound.
constexpr double kHugeMu = 0x1p20;

enum class Form { plain, logarithm };

double rounded_up_to_double(mpfr_ptr value, Form form) {
  if (form == Form::logarithm) mpfr_log(value, value, MPFR_RNDU);
  return mpfr_get_d(value, MPFR_RNDU);
}

// Bits that the difference of the two terms and the slope of erfc may consume, plus 70 for the answer.
mpfr_prec_t starting_precision(double epsilon, double mu) {
  const int lost_to_small_mu = std::max(0, -std::ilogb(mu));
  const int size_of_ratio = std::max(0, std::ilogb(std::max(epsilon / mu, mu)));
  return 128 + 2 * lost_to_small_mu + 3 * std::min(size_of_ratio, 1100);
}

// [proof privacy_gaussian_dp.delta]
// The bound is valid at every precision; a higher one only makes it sharper.
double delta_bound(double epsilon, double mu, Form form) {
  if (mu == 0) return form == Form::plain ? 0 : -kInfinity;
  const mpfr_prec_t first = starting_precision(epsilon, mu);
  for (mpfr_prec_t precision = first;; precision *= 2) {
    ExactReal eps(precision, epsilon), m(precision, mu), x1(precision), x2(precision), root(precision);
    ExactReal term1(precision), term2(precision), exponential(precision), delta(precision);
    mpfr_div(x1.get(), eps.get(), m.get(), MPFR_RNDD);
    mpfr_div(x2.get(), eps.get(), m.get(), MPFR_RNDU);
    mpfr_div_2ui(m.get(), m.get(), 1, MPFR_RNDN);
    mpfr_sub(x1.get(), x1.get(), m.get(), MPFR_RNDD);  // at most epsilon/mu - mu/2
    mpfr_add(x2.get(), x2.get(), m.get(), MPFR_RNDU);  // at least epsilon/mu + mu/2
    if (mpfr_cmp_d(x1.get(), -kFar) < 0) return form == Form::plain ? 1 : 0;
    if (mpfr_cmp_d(x1.get(), kFar) > 0) {  // Phi(-x) <= exp(-x^2 / 2)
      mpfr_sqr(delta.get(), x1.get(), MPFR_RNDD);
      mpfr_div_si(delta.get(), delta.get(), -2, MPFR_RNDU);
      return form == Form::plain ? std::numeric_limits<double>::denorm_min() : mpfr_get_d(delta.get(), MPFR_RNDU);
    }
    // Dividing by sqrt(2) must lower x1 whatever its sign, and raise x2, which is positive.
    mpfr_sqrt_ui(root.get(), 2, mpfr_sgn(x1.get()) >= 0 ? MPFR_RNDU : MPFR_RNDD);
    mpfr_div(x1.get(), x1.get(), root.get(), MPFR_RNDD);
    mpfr_erfc(term1.get(), x1.get(), MPFR_RNDU);
    mpfr_set_zero(term2.get(), 1);
    if (mu <= kHugeMu) {
      mpfr_sqrt_ui(root.get(), 2, MPFR_RNDD);
      mpfr_div(x2.get(), x2.get(), root.get(), MPFR_RNDU);
      mpfr_erfc(term2.get(), x2.get(), MPFR_RNDD);
      mpfr_exp(exponential.get(), eps.get(), MPFR_RNDD);
      mpfr_mul(term2.get(), term2.get(), exponential.get(), MPFR_RNDD);
    }
    mpfr_sub(delta.get(), term1.get(), term2.get(), MPFR_RNDU);
    mpfr_div_2ui(delta.get(), delta.get(), 1, MPFR_RNDU);
    const bool positive = mpfr_sgn(delta.get()) > 0;
    const mpfr_exp_t slope_bits = mu <= kHugeMu ? 2 * std::max<mpfr_exp_t>(0, mpfr_get_exp(x2.get())) + 4 : 36;
    const bool sharp = positive && mpfr_get_exp(term1.get()) + slope_bits - precision < mpfr_get_exp(delta.get()) - 60;
    if (!sharp && precision <= 8 * first) continue;
    ensure(positive, "the bound on delta is not positive");
    return rounded_up_to_double(delta.get(), form);
  }
}
// [/proof]

// ln Phi(-x), good to about 1e-18 relative; only guesses rest on it.
long double log_upper_tail(long double x) {
  if (x > 140) return -x * x / 2 - std::log(x * std::sqrt(2 * std::numbers::pi_v<long double>));
  return std::log(std::erfc(x / std::numbers::sqrt2_v<long double>) / 2);
}

bool guess_covers(long double epsilon, long double mu, long double log_delta) {
  const long double first = log_upper_tail(epsilon / mu - mu / 2);
  const long double second = epsilon + log_upper_tail(epsilon / mu + mu / 2);
  return first + std::log(-std::expm1(std::min(second - first, 0.0L))) <= log_delta;
}

// Where a monotone condition on the positive doubles changes, as a point with `holds(x) == true` next to a point where
// it is false. `grows`: true above the change. Gives 0 or infinity when the change lies beyond the doubles.
template <class Condition>
double change_point(double start, bool grows, const Condition& holds) {
  double inside = start, outside = start;
  if (holds(start)) {
    do {
      inside = outside;
      outside = grows ? outside / 2 : outside * 2;
      if (outside == 0 || outside == kInfinity) return inside;
    } while (holds(outside));
  } else {
    do {
      outside = inside;
      inside = grows ? inside * 2 : inside / 2;
      if (inside == 0 || inside == kInfinity) return inside;
    } while (!holds(inside));
  }
  for (int step = 0; step < 54; ++step) {
    const double middle = inside + (outside - inside) / 2;
    (holds(middle) ? inside : outside) = middle;
  }
  return inside;
}

// The same change point, proved: a guess in long double moved to the safe side until `proved` holds, and searched for
// with `proved` itself where the guess was wrong or more than one part in 2^36 off.
template <class Guess, class Proof>
double proved_change_point(bool grows, const Guess& guessed, const Proof& proved) {
  constexpr double kWorst = 0x1p-36;
  const double side = grows ? 1 : -1;
  const double guess = change_point(1, grows, guessed);
  if (guess > 0x1p-900 && guess < 0x1p900) {
    for (double margin = 0x1p-49; margin < kWorst; margin *= 8) {
      const double candidate = guess * (1 + side * margin);
      if (!proved(candidate)) continue;
      if (proved(guess * (1 - side * kWorst))) break;
      return candidate;
    }
  }
  const bool usable = guess > 0x1p-1000 && guess < 0x1p1000;
  return change_point(usable ? guess : 1, grows, proved);
}

void require_mu(double mu) { require_nonnegative_finite("mu", mu); }
void require_epsilon(double epsilon) { require_nonnegative_finite("epsilon", epsilon); }
void require_delta(double delta) { require_in_open_range("delta", delta, 0, 1); }

}  // namespace

double delta_gaussian(double epsilon, double mu) {
  require_epsilon(epsilon);
  require_mu(mu);
  return delta_bound(epsilon, mu, Form::plain);
}

// [proof privacy_gaussian_dp.quick]
double delta_gaussian_quick(double epsilon, double mu) {
  require_nonnegative_finite("epsilon", epsilon);
  require_nonnegative_finite("mu", mu);
  if (mu == 0) return 0;
  // Each tail is good to 2^-39: the first rounded up, the second down.
  const double x = epsilon / mu, infinity = std::numeric_limits<double>::infinity();
  const double first = normal_mass(x - mu / 2, infinity), second = normal_mass(x + mu / 2, infinity);
  const double lost = second > 0 ? std::exp(epsilon + std::log(second)) : 0;
  return std::min(1.0, std::max(0.0, first - lost) + first * 0x1p-38 + 1e-300);
}
// [/proof]

double log_delta_gaussian(double epsilon, double mu) {
  require_epsilon(epsilon);
  require_mu(mu);
  return delta_bound(epsilon, mu, Form::logarithm);
}

// [proof privacy_gaussian_dp.inverse]
double epsilon_gaussian(double mu, double delta) {
  require_mu(mu);
  require_delta(delta);
  const auto proved = [&](double epsilon) { return delta_bound(epsilon, mu, Form::plain) <= delta; };
  if (proved(0)) return 0;
  const long double log_delta = std::log(static_cast<long double>(delta));
  return proved_change_point(true, [&](double epsilon) { return guess_covers(epsilon, mu, log_delta); }, proved);
}

double mu_for(double epsilon, double delta) {
  require_epsilon(epsilon);
  require_delta(delta);
  const auto proved = [&](double mu) { return delta_bound(epsilon, mu, Form::plain) <= delta; };
  const long double log_delta = std::log(static_cast<long double>(delta));
  return proved_change_point(false, [&](double mu) { return guess_covers(epsilon, mu, log_delta); }, proved);
}
// [/proof]

}  // namespace dperm::privacy
