// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/additive_costs.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/exact_real.hpp"
#include "dperm/privacy/distributions/event_distribution.hpp"
#include "dperm/privacy/objective/objective_profile.hpp"

namespace dperm::privacy {
namespace {

using detail::ExactReal;

// Wide enough for repetitions * sensitivity * denominator without rounding: 63 + 64 + 64 bits.
constexpr mpfr_prec_t kPrecision = 256;

// [proof privacy_accountant.pure]
// Sets `epsilon` to at least repetitions * sensitivity / scale. The only rounding is that of one division, so the
// result is at most e whenever the true value is at most the double e.
struct PureEpsilon {
  mpfr_ptr epsilon;
  Neighbours neighbours;

  void operator()(const DiscreteLaplaceEvent& e) const {
    divide(e.l1_sensitivity, e.scale_numerator, e.scale_denominator);
  }
  void operator()(const ExponentialEvent& e) const { divide(e.range, e.scale_numerator, e.scale_denominator); }
  void operator()(const PermuteAndFlipEvent& e) const { divide(e.range, e.scale_numerator, e.scale_denominator); }
  void operator()(const KNormEvent& e) const {
    mpfr_mul_d(epsilon, epsilon, e.l2_sensitivity, MPFR_RNDU);
    mpfr_div_d(epsilon, epsilon, e.scale, MPFR_RNDU);
  }
  void operator()(const PureObjectiveEvent& e) const {
    mpfr_mul_d(epsilon, epsilon, epsilon_pure_objective(e.objective), MPFR_RNDU);
    if (e.group > 1) multiply(e.group);
  }
  void operator()(const RandomisedResponseEvent& e) const { mpfr_mul_d(epsilon, epsilon, e.epsilon, MPFR_RNDU); }
  void operator()(const SampledLaplaceEvent& e) const {
    mpfr_mul_d(epsilon, epsilon, sampled_laplace_epsilon(e, neighbours), MPFR_RNDU);
  }
  void operator()(const SelectionEvent& e) const {
    require(has_pure_epsilon(e), "this private selection has no pure epsilon; account for it with a delta");
    mpfr_mul_d(epsilon, epsilon, rounded_up((2 + e.shape) * e.base_epsilon), MPFR_RNDU);
  }
  void operator()(const UnprotectedEvent&) const { mpfr_set_inf(epsilon, 1); }
  void operator()(const DisjointPartsEvent&) const {
    ensure(false, "a division costs what its dearest part costs, which is looked up before");
  }
  void operator()(const SampledGaussianEvent&) const {
    require(false, "a Gaussian release has no pure epsilon; account for it with a delta");
  }
  void operator()(const RegularisedExponentialEvent&) const {
    require(false, "the regularised exponential mechanism has no pure epsilon; account for it with a delta");
  }
  void operator()(const SelectedCountsEvent&) const {
    require(false, "counts of selected values have no pure epsilon; account for them with a delta");
  }
  void operator()(const GaussianEvent&) const {
    require(false, "a Gaussian release has no pure epsilon; account for it with a delta");
  }
  void operator()(const ObjectivePerturbationEvent&) const {
    require(false, "a perturbed objective has no pure epsilon; account for it with a delta");
  }

 private:
  void divide(std::uint64_t change, std::uint64_t scale_numerator, std::uint64_t scale_denominator) const {
    multiply(change);
    multiply(scale_denominator);
    ExactReal numerator(kPrecision);
    mpfr_set_uj(numerator.get(), scale_numerator, MPFR_RNDN);
    mpfr_div(epsilon, epsilon, numerator.get(), MPFR_RNDU);
  }
  void multiply(std::uint64_t factor) const {
    ExactReal exact(kPrecision);
    mpfr_set_uj(exact.get(), factor, MPFR_RNDN);
    mpfr_mul(epsilon, epsilon, exact.get(), MPFR_RNDU);
  }
};

double sum_of_pure(std::span<const PrivacyEvent> events);

void set_pure_epsilon(const PrivacyEvent& event, std::int64_t repetitions, mpfr_ptr epsilon) {
  mpfr_set_sj(epsilon, repetitions, MPFR_RNDU);
  if (const auto* division = std::get_if<DisjointPartsEvent>(&event.mechanism)) {
    double most = 0;
    for (const std::vector<PrivacyEvent>& part : division->parts) most = std::max(most, sum_of_pure(part));
    mpfr_mul_d(epsilon, epsilon, most, MPFR_RNDU);
    return;
  }
  std::visit(PureEpsilon{epsilon, event.neighbours}, event.mechanism);
}

double sum_of_pure(std::span<const PrivacyEvent> events) {
  ExactReal sum(kPrecision, 0), epsilon(kPrecision);
  for (const PrivacyEvent& event : events) {
    set_pure_epsilon(event, event.repetitions, epsilon.get());
    mpfr_add(sum.get(), sum.get(), epsilon.get(), MPFR_RNDU);
  }
  return mpfr_get_d(sum.get(), MPFR_RNDU);
}

double one_pure_epsilon(const PrivacyEvent& event) {
  ExactReal epsilon(kPrecision);
  set_pure_epsilon(event, 1, epsilon.get());
  return mpfr_get_d(epsilon.get(), MPFR_RNDU);
}
// [/proof]

// [proof privacy_accountant.gaussian]
// sum of repetitions * (sensitivity / sigma)^2 over the Gaussian events, rounded up.
void sum_of_mu_squared(std::span<const PrivacyEvent> events, mpfr_ptr sum) {
  ExactReal ratio(kPrecision), count(kPrecision);
  mpfr_set_zero(sum, 1);
  for (const PrivacyEvent& event : events) {
    if (!is_gaussian(event)) continue;
    const auto& gaussian = std::get<GaussianEvent>(event.mechanism);
    mpfr_set_d(ratio.get(), gaussian.l2_sensitivity, MPFR_RNDU);
    mpfr_div_d(ratio.get(), ratio.get(), gaussian.sigma, MPFR_RNDU);
    mpfr_sqr(ratio.get(), ratio.get(), MPFR_RNDU);
    mpfr_set_sj(count.get(), event.repetitions, MPFR_RNDU);
    mpfr_mul(ratio.get(), ratio.get(), count.get(), MPFR_RNDU);
    mpfr_add(sum, sum, ratio.get(), MPFR_RNDU);
  }
}

double mu_of_gaussians(std::span<const PrivacyEvent> events) {
  ExactReal sum(kPrecision);
  sum_of_mu_squared(events, sum.get());
  mpfr_sqrt(sum.get(), sum.get(), MPFR_RNDU);
  return mpfr_get_d(sum.get(), MPFR_RNDU);
}
// [/proof]

// [proof privacy_accountant.zcdp]
double rho_of(std::span<const PrivacyEvent> events) {
  ExactReal sum(kPrecision), term(kPrecision), half(kPrecision), count(kPrecision);
  sum_of_mu_squared(events, sum.get());
  mpfr_div_2ui(sum.get(), sum.get(), 1, MPFR_RNDU);
  for (const PrivacyEvent& event : events) {
    if (is_gaussian(event)) continue;
    if (const auto* division = std::get_if<DisjointPartsEvent>(&event.mechanism)) {
      double most = 0;
      for (const std::vector<PrivacyEvent>& part : division->parts) most = std::max(most, rho_of(part));
      mpfr_set_d(term.get(), most, MPFR_RNDU);
      mpfr_mul_si(term.get(), term.get(), event.repetitions, MPFR_RNDU);
      mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDU);
      continue;
    }
    mpfr_set_d(term.get(), one_pure_epsilon(event), MPFR_RNDU);
    if (std::holds_alternative<ExponentialEvent>(event.mechanism)) {
      // Bounded range epsilon: epsilon^2 / 8 instead.
      mpfr_sqr(term.get(), term.get(), MPFR_RNDU);
      mpfr_div_2ui(term.get(), term.get(), 3, MPFR_RNDU);
    } else {
      mpfr_div_2ui(half.get(), term.get(), 1, MPFR_RNDU);
      mpfr_tanh(half.get(), half.get(), MPFR_RNDU);
      mpfr_mul(term.get(), term.get(), half.get(), MPFR_RNDU);
    }
    mpfr_set_sj(count.get(), event.repetitions, MPFR_RNDU);
    mpfr_mul(term.get(), term.get(), count.get(), MPFR_RNDU);
    mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDU);
  }
  return mpfr_get_d(sum.get(), MPFR_RNDU);
}

// An upper bound, for the order alpha = 1 + e^t, of alpha rho + ln((alpha-1)/alpha) - (ln delta + ln alpha)/(alpha-1).
// Each term is good to a few ulps, so the margin is a fraction of the sum of their sizes.
double zcdp_epsilon_at(double t, double rho, double delta) {
  const double excess = std::exp(t);
  const double log_alpha = std::log1p(excess);
  const double transport = (1 + excess) * rho;
  const double from_delta = -std::log(delta) / excess;
  const double from_alpha = log_alpha / excess;
  const double size = transport + std::abs(t) + log_alpha + from_delta + from_alpha;
  return transport + (t - log_alpha) + from_delta - from_alpha + size * kRelativeMargin;
}
// [/proof]

}  // namespace

double pure_epsilon(std::span<const PrivacyEvent> events) {
  validate(events);
  return sum_of_pure(events);
}

double pure_epsilon_once(const PrivacyEvent& event) {
  validate(event);
  return one_pure_epsilon(event);
}

double gaussian_mu(std::span<const PrivacyEvent> events) {
  validate(events);
  require(std::all_of(events.begin(), events.end(), is_gaussian), "Gaussian DP accounts for Gaussian releases only");
  return mu_of_gaussians(events);
}

double zcdp_rho(std::span<const PrivacyEvent> events) {
  validate(events);
  return rho_of(events);
}

double zcdp_epsilon(double rho, double delta) {
  require_nonnegative_finite("rho", rho);
  require_in_open_range("delta", delta, 0, 1);
  if (rho == 0) return 0;
  // Every order gives a valid bound, so the search need not be exact. The minimum of the classical form is its centre.
  const double centre = 0.5 * (std::log(-std::log(delta)) - std::log(rho));
  const auto best =
      boost::math::tools::brent_find_minima([&](double t) { return zcdp_epsilon_at(t, rho, delta); },
                                            std::max(centre - 20, -300.0), std::min(centre + 20, 300.0), 50);
  return std::max(0.0, std::min(best.second, zcdp_epsilon_classical(rho, delta)));
}

double zcdp_epsilon_classical(double rho, double delta) {
  require_nonnegative_finite("rho", rho);
  require_in_open_range("delta", delta, 0, 1);
  return rounded_up(rho + 2 * std::sqrt(rho * -std::log(delta)));
}

}  // namespace dperm::privacy
