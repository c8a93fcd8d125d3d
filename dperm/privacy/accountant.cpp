// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/accountant.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/event_law.hpp"
#include "dperm/privacy/exact_real.hpp"
#include "dperm/privacy/gaussian_dp.hpp"
#include "dperm/privacy/objective_profile.hpp"
#include "dperm/privacy/privacy_curve.hpp"
#include "dperm/privacy/renyi.hpp"

namespace dperm::privacy {
namespace {

using detail::ExactReal;

constexpr double kCurveWidth = 1e-3;
constexpr double kWorthADelta = 0.95;

// Wide enough for repetitions * sensitivity * denominator without rounding: 63 + 64 + 64 bits.
constexpr mpfr_prec_t kPrecision = 256;

bool is_objective(const PrivacyEvent& event) {
  return std::holds_alternative<ObjectivePerturbationEvent>(event.mechanism);
}

bool is_gaussian(const PrivacyEvent& event) { return std::holds_alternative<GaussianEvent>(event.mechanism); }

// Neither pure nor Gaussian nor a perturbed objective: known to the Renyi and privacy-loss accountants only.
bool is_other(const PrivacyEvent& event) {
  if (const auto* selection = std::get_if<SelectionEvent>(&event.mechanism)) return !has_pure_epsilon(*selection);
  return std::holds_alternative<SampledGaussianEvent>(event.mechanism);
}

// [proof privacy_accountant.pure]
// Sets `epsilon` to at least repetitions * sensitivity / scale. The only rounding is that of one division, so the
// result is at most e whenever the true value is at most the double e.
struct PureEpsilon {
  mpfr_ptr epsilon;
  Neighbours neighbours;

  void operator()(const LaplaceEvent& e) const { divide(e.l1_sensitivity, e.scale_numerator, e.scale_denominator); }
  void operator()(const ExponentialEvent& e) const { divide(e.oscillation, e.scale_numerator, e.scale_denominator); }
  void operator()(const PermuteAndFlipEvent& e) const { divide(e.oscillation, e.scale_numerator, e.scale_denominator); }
  void operator()(const KNormEvent& e) const {
    mpfr_mul_d(epsilon, epsilon, e.l2_sensitivity, MPFR_RNDU);
    mpfr_div_d(epsilon, epsilon, e.scale, MPFR_RNDU);
  }
  void operator()(const PureObjectiveEvent& e) const {
    mpfr_mul_d(epsilon, epsilon, epsilon_pure_objective(e.objective), MPFR_RNDU);
  }
  void operator()(const RandomisedResponseEvent& e) const { mpfr_mul_d(epsilon, epsilon, e.epsilon, MPFR_RNDU); }
  void operator()(const SampledLaplaceEvent& e) const {
    mpfr_mul_d(epsilon, epsilon, sampled_laplace_epsilon(e, neighbours), MPFR_RNDU);
  }
  void operator()(const SelectionEvent& e) const {
    require(has_pure_epsilon(e), "this private selection has no pure epsilon; account for it with a delta");
    mpfr_mul_d(epsilon, epsilon, rounded_up((2 + e.shape) * e.base_epsilon), MPFR_RNDU);
  }
  void operator()(const SampledGaussianEvent&) const {
    require(false, "a Gaussian release has no pure epsilon; account for it with a delta");
  }
  void operator()(const RegularisedExponentialEvent&) const {
    require(false, "the regularised exponential mechanism has no pure epsilon; account for it with a delta");
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

double pure_epsilon_of(const PrivacyEvent& event, std::int64_t repetitions) {
  ExactReal epsilon(kPrecision);
  mpfr_set_sj(epsilon.get(), repetitions, MPFR_RNDU);
  std::visit(PureEpsilon{epsilon.get(), event.neighbours}, event.mechanism);
  return mpfr_get_d(epsilon.get(), MPFR_RNDU);
}

double sum_of_pure(std::span<const PrivacyEvent> events) {
  ExactReal sum(kPrecision, 0), epsilon(kPrecision);
  for (const PrivacyEvent& event : events) {
    mpfr_set_sj(epsilon.get(), event.repetitions, MPFR_RNDU);
    std::visit(PureEpsilon{epsilon.get(), event.neighbours}, event.mechanism);
    mpfr_add(sum.get(), sum.get(), epsilon.get(), MPFR_RNDU);
  }
  return mpfr_get_d(sum.get(), MPFR_RNDU);
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
    mpfr_set_d(term.get(), pure_epsilon_of(event, 1), MPFR_RNDU);
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

// A sample of all records is a plain Gaussian release, known exactly.
bool is_full_sample(const PrivacyEvent& event) {
  const auto* sampled = std::get_if<SampledGaussianEvent>(&event.mechanism);
  return sampled && sampled->rate == 1;
}

std::vector<PrivacyEvent> without_full_samples(std::span<const PrivacyEvent> events) {
  std::vector<PrivacyEvent> result(events.begin(), events.end());
  for (PrivacyEvent& event : result) {
    if (!is_full_sample(event)) continue;
    const auto sampled = std::get<SampledGaussianEvent>(event.mechanism);
    const double factor = event.neighbours == Neighbours::replace_one ? 2 : 1;
    event.mechanism = GaussianEvent{factor * sampled.contribution, sampled.sigma};
  }
  return result;
}

void require_same_neighbours(std::span<const PrivacyEvent> events) {
  for (const PrivacyEvent& event : events) {
    validate(event);
    require(event.neighbours == events.front().neighbours,
            fmt::format("'{}' is stated for {} neighbours and '{}' for {}; their guarantees do not add up",
                        events.front().what, to_string(events.front().neighbours), event.what,
                        to_string(event.neighbours)));
  }
}

// The best proved bound that composes loss laws or Renyi divergences; infinite where neither applies. Divergences prove
// nothing below the lower end of an interval: where it is as narrow as asked for, they are not worth their time.
struct Bound {
  double epsilon;
  const char* accountant;
};
Bound best_composed(std::span<const PrivacyEvent> events, double delta) {
  Bound best{std::numeric_limits<double>::infinity(), "renyi"};
  if (has_loss_laws(events)) {
    try {
      const Interval interval = PrivacyCurve(events).epsilon(delta, kCurveWidth);
      if (std::isfinite(interval.upper)) best = {interval.upper, "privacy-loss"};
      if (interval.upper - interval.lower <= kCurveWidth) return best;
    } catch (const ArgumentError&) {
      // Too many different releases for laws: the other bound stands.
    }
  }
  const double by_renyi = renyi_epsilon(events, delta);
  return by_renyi <= best.epsilon ? Bound{by_renyi, "renyi"} : best;
}

void improve(Guarantee& guarantee, const Bound& bound) {
  if (!(bound.epsilon < guarantee.epsilon)) return;
  guarantee.epsilon = bound.epsilon;
  guarantee.accountant = bound.accountant;
}

double releases_in(std::span<const PrivacyEvent> events) {
  double count = 0;
  for (const PrivacyEvent& event : events) count += static_cast<double>(event.repetitions);
  return count;
}

// A pure promise is worth more than one with a delta: it is given up only for a clearly smaller epsilon.
void improve_by_delta(Guarantee& guarantee, std::span<const PrivacyEvent> events, double delta) {
  const Bound bound = best_composed(events, delta);
  if (!(bound.epsilon < kWorthADelta * guarantee.epsilon)) return;
  guarantee.pure = false;
  guarantee.delta = delta;
  improve(guarantee, bound);
}

Guarantee account_mixed(std::span<const PrivacyEvent> events, double delta, Guarantee guarantee) {
  std::vector<PrivacyEvent> pure, gaussian;
  for (const PrivacyEvent& event : events) (is_gaussian(event) ? gaussian : pure).push_back(event);
  const double by_zcdp = zcdp_epsilon(*guarantee.rho, delta);
  ExactReal sum(kPrecision, sum_of_pure(pure));
  mpfr_add_d(sum.get(), sum.get(), epsilon_gaussian(mu_of_gaussians(gaussian), delta), MPFR_RNDU);
  const double by_basic = mpfr_get_d(sum.get(), MPFR_RNDU);
  guarantee.epsilon = std::min(by_zcdp, by_basic);
  guarantee.accountant = by_zcdp < by_basic ? "zcdp" : "basic";
  improve(guarantee, best_composed(events, delta));
  return guarantee;
}

// [proof privacy_accountant.objective]
// Gaussian DP where every part has it, otherwise basic composition with a fixed division of delta.
Guarantee account_objectives(std::span<const PrivacyEvent> events, double delta, Guarantee guarantee) {
  std::vector<PrivacyEvent> objectives, others;
  for (const PrivacyEvent& event : events) (is_objective(event) ? objectives : others).push_back(event);
  double slack = 0, count = 0, mu_squared = 0;
  bool gaussian = std::all_of(others.begin(), others.end(), is_gaussian);
  for (const PrivacyEvent& event : objectives) {
    const auto& mechanism = std::get<ObjectivePerturbationEvent>(event.mechanism);
    const double repetitions = static_cast<double>(event.repetitions);
    const double mu = mu_objective(mechanism.objective);
    gaussian = gaussian && mu > 0;
    mu_squared += repetitions * mu * mu;
    slack = rounded_up(slack + repetitions * mechanism.slack_delta);
    count += repetitions;
  }
  const double shared = rounded_down(kObjectiveDeltaShare * delta - slack) / count;
  require(shared > 0, fmt::format("delta {} does not cover the slack of the perturbed objectives", delta));
  if (gaussian) {
    const double rest = others.empty() ? 0 : mu_of_gaussians(others);
    guarantee.mu = rounded_up(std::sqrt(mu_squared + rest * rest));
    guarantee.epsilon = epsilon_gaussian(*guarantee.mu, rounded_down(delta - slack));
    guarantee.accountant = "gaussian-dp";
    return guarantee;
  }
  double epsilon = others.empty() ? 0 : account(others, rounded_down(kOtherDeltaShare * delta)).epsilon;
  for (const PrivacyEvent& event : objectives) {
    const auto& objective = std::get<ObjectivePerturbationEvent>(event.mechanism).objective;
    epsilon += static_cast<double>(event.repetitions) * epsilon_objective(objective, shared);
  }
  guarantee.epsilon = rounded_up(epsilon);
  guarantee.accountant = "basic";
  improve(guarantee, best_composed(events, delta));
  return guarantee;
}
// [/proof]

// [proof privacy_accountant.sampled]
bool is_sampled_density(const PrivacyEvent& event) {
  return std::holds_alternative<RegularisedExponentialEvent>(event.mechanism);
}

// Accounts for the ideal densities as Gaussian releases at the delta that is left after the samplers' distance, whose
// cost (1 + e^epsilon) total_variation grows with the epsilon looked for: raised until it pays for itself.
Guarantee account_sampled(std::span<const PrivacyEvent> events, double delta) {
  require_in_open_range("delta", delta, 0, 1);
  std::vector<PrivacyEvent> ideal;
  double distance = 0, log_error = 0;
  for (PrivacyEvent event : events) {
    if (const auto* e = std::get_if<RegularisedExponentialEvent>(&event.mechanism)) {
      const auto repetitions = static_cast<double>(event.repetitions);
      distance = rounded_up(distance + repetitions * e->total_variation);
      log_error = rounded_up(log_error + repetitions * e->log_error);
      event.mechanism = GaussianEvent{rounded_up(e->gradient_difference * std::sqrt(e->inverse_temperature)),
                                      rounded_down(std::sqrt(e->penalty))};
    }
    ideal.push_back(event);
  }
  double epsilon = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const double left = rounded_down(std::exp(-log_error) * (delta - rounded_up((1 + std::exp(epsilon)) * distance)));
    require(left > 0, fmt::format("delta {} does not cover the sampler's distance from its density", delta));
    Guarantee guarantee = account(ideal, left);
    const double needed = rounded_up(guarantee.epsilon + 2 * log_error);
    if (needed <= epsilon) {
      guarantee.delta = delta;
      guarantee.mu.reset();
      guarantee.rho.reset();
      guarantee.epsilon = epsilon;
      return guarantee;
    }
    epsilon = rounded_up(needed);
  }
  throw ArgumentError(fmt::format("delta {} does not cover the sampler's distance from its density", delta));
}
// [/proof]

}  // namespace

double pure_epsilon(std::span<const PrivacyEvent> events) {
  require_same_neighbours(events);
  return sum_of_pure(events);
}

double gaussian_mu(std::span<const PrivacyEvent> events) {
  require_same_neighbours(events);
  require(std::all_of(events.begin(), events.end(), is_gaussian), "Gaussian DP accounts for Gaussian releases only");
  return mu_of_gaussians(events);
}

double zcdp_rho(std::span<const PrivacyEvent> events) {
  require_same_neighbours(events);
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

Guarantee account(std::span<const PrivacyEvent> events, double delta) {
  require_same_neighbours(events);
  if (std::any_of(events.begin(), events.end(), is_full_sample)) return account(without_full_samples(events), delta);
  if (std::any_of(events.begin(), events.end(), is_sampled_density)) return account_sampled(events, delta);
  Guarantee guarantee;
  if (!events.empty()) guarantee.neighbours = events.front().neighbours;
  if (std::any_of(events.begin(), events.end(), is_other)) {
    require_in_open_range("delta", delta, 0, 1);
    const Bound bound = best_composed(events, delta);
    guarantee.pure = false;
    guarantee.delta = delta;
    guarantee.epsilon = bound.epsilon;
    guarantee.accountant = bound.accountant;
    return guarantee;
  }
  if (std::any_of(events.begin(), events.end(), is_objective)) {
    require_in_open_range("delta", delta, 0, 1);
    guarantee.pure = false;
    guarantee.delta = delta;
    return account_objectives(events, delta, guarantee);
  }
  const auto gaussians = std::count_if(events.begin(), events.end(), is_gaussian);
  if (gaussians == 0) {
    require(delta >= 0 && delta < 1, fmt::format("delta must be at least 0 and below 1; got {}", delta));
    guarantee.accountant = "pure";
    guarantee.epsilon = sum_of_pure(events);
    if (delta > 0 && releases_in(events) > 1) improve_by_delta(guarantee, events, delta);
    return guarantee;
  }
  require(delta > 0 && delta < 1,
          fmt::format("a Gaussian release needs a delta strictly between 0 and 1; got {}", delta));
  guarantee.pure = false;
  guarantee.delta = delta;
  guarantee.rho = rho_of(events);
  if (static_cast<std::size_t>(gaussians) < events.size()) return account_mixed(events, delta, guarantee);
  guarantee.mu = mu_of_gaussians(events);
  guarantee.epsilon = epsilon_gaussian(*guarantee.mu, delta);
  guarantee.accountant = "gaussian-dp";
  return guarantee;
}

}  // namespace dperm::privacy
