// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/accountant.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/exact_real.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/composition/renyi.hpp"
#include "dperm/privacy/composition/textbook.hpp"
#include "dperm/privacy/curator/unseen_value.hpp"
#include "dperm/privacy/distributions/event_distribution.hpp"
#include "dperm/privacy/objective/objective_profile.hpp"

namespace dperm::privacy {
namespace {

constexpr double kCurveShare = 0.05, kWorthADelta = 0.95;

bool is_objective(const PrivacyEvent& event) {
  return std::holds_alternative<ObjectivePerturbationEvent>(event.mechanism);
}

// Neither pure nor Gaussian nor a perturbed objective: known to the Renyi and privacy-loss accountants only.
bool is_other(const PrivacyEvent& event) {
  if (const auto* selection = std::get_if<SelectionEvent>(&event.mechanism)) return !has_pure_epsilon(*selection);
  return std::holds_alternative<SampledGaussianEvent>(event.mechanism);
}

// A sample of all records is a plain Gaussian release, known exactly.
bool is_full_sample(const PrivacyEvent& event) { return !is_gaussian(event) && as_gaussian(event); }

std::vector<PrivacyEvent> without_full_samples(std::span<const PrivacyEvent> events) {
  std::vector<PrivacyEvent> result(events.begin(), events.end());
  for (PrivacyEvent& event : result) {
    if (const auto gaussian = as_gaussian(event)) event.mechanism = *gaussian;
  }
  return result;
}

double zcdp_if_known(std::span<const PrivacyEvent> events, double delta) {
  try {
    return zcdp_epsilon(zcdp_rho(events), delta);
  } catch (const ArgumentError&) {
    return std::numeric_limits<double>::infinity();
  }
}

// The best proved bound that composes loss distributions, Renyi divergences or zCDP; infinite where none applies.
// Divergences prove nothing below the lower end of an interval: where it is narrow, they are not worth their time.
struct Bound {
  double epsilon;
  const char* accountant;
};
Bound best_composed(std::span<const PrivacyEvent> events, double delta, double width) {
  Bound best{std::numeric_limits<double>::infinity(), "renyi"};
  if (has_loss_distributions(events)) {
    try {
      const Interval interval = PrivacyCurve(events).epsilon(delta, width);
      if (std::isfinite(interval.upper)) best = {interval.upper, "privacy-loss"};
      if (interval.upper - interval.lower <= std::min(width, kCurveShare * interval.upper)) return best;
    } catch (const ArgumentError&) {
      // Too many different releases for distributions: the other bound stands.
    }
  }
  const double by_renyi = renyi_epsilon(events, delta);
  if (by_renyi <= best.epsilon) best = {by_renyi, "renyi"};
  // Renyi divergences are asked at some orders, zCDP at all of them: sometimes it proves a little less.
  const double by_zcdp = zcdp_if_known(events, delta);
  return by_zcdp < best.epsilon ? Bound{by_zcdp, "zcdp"} : best;
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
void improve_by_delta(Guarantee& guarantee, std::span<const PrivacyEvent> events, double delta, double width) {
  const Bound bound = best_composed(events, delta, width);
  if (!(bound.epsilon < kWorthADelta * guarantee.epsilon)) return;
  guarantee.pure = false;
  guarantee.delta = delta;
  improve(guarantee, bound);
}

Guarantee account_mixed(std::span<const PrivacyEvent> events, double delta, double width, Guarantee guarantee) {
  std::vector<PrivacyEvent> pure, gaussian;
  for (const PrivacyEvent& event : events) (is_gaussian(event) ? gaussian : pure).push_back(event);
  const double by_zcdp = zcdp_epsilon(*guarantee.rho, delta);
  detail::ExactReal sum(256, pure_epsilon(pure));
  mpfr_add_d(sum.get(), sum.get(), epsilon_gaussian(gaussian_mu(gaussian), delta), MPFR_RNDU);
  const double by_basic = mpfr_get_d(sum.get(), MPFR_RNDU);
  guarantee.epsilon = std::min(by_zcdp, by_basic);
  guarantee.accountant = by_zcdp < by_basic ? "zcdp" : "basic";
  improve(guarantee, best_composed(events, delta, width));
  return guarantee;
}

// [proof privacy_accountant.objective]
// Gaussian DP where every part has it, otherwise basic composition with a fixed division of delta.
Guarantee account_objectives(std::span<const PrivacyEvent> events, double delta, double width, Guarantee guarantee) {
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
    const double rest = others.empty() ? 0 : gaussian_mu(others);
    guarantee.mu = rounded_up(std::sqrt(mu_squared + rest * rest));
    guarantee.epsilon = epsilon_gaussian(*guarantee.mu, rounded_down(delta - slack));
    guarantee.accountant = "gaussian-dp";
    return guarantee;
  }
  double epsilon = others.empty() ? 0 : account(others, rounded_down(kOtherDeltaShare * delta), width).epsilon;
  for (const PrivacyEvent& event : objectives) {
    const auto& objective = std::get<ObjectivePerturbationEvent>(event.mechanism).objective;
    epsilon += static_cast<double>(event.repetitions) * epsilon_objective(objective, shared);
  }
  guarantee.epsilon = rounded_up(epsilon);
  guarantee.accountant = "basic";
  improve(guarantee, best_composed(events, delta, width));
  return guarantee;
}
// [/proof]

// [proof privacy_accountant.sampled]
// A release that lies within a known distance of a Gaussian one.
bool is_near_gaussian(const PrivacyEvent& event) {
  return std::holds_alternative<RegularisedExponentialEvent>(event.mechanism) ||
         std::holds_alternative<SelectedCountsEvent>(event.mechanism);
}

// The Gaussian release that an event stands for, and how far it may be from it.
struct NearGaussian {
  GaussianEvent ideal;
  double total_variation = 0;
  double log_error = 0;
};
NearGaussian near_gaussian(const PrivacyEvent& event) {
  if (const auto* counts = std::get_if<SelectedCountsEvent>(&event.mechanism)) {
    return {{counts->l2_sensitivity, counts->sigma}, unseen_value_probability(*counts), 0};
  }
  const auto& e = std::get<RegularisedExponentialEvent>(event.mechanism);
  return {{rounded_up(e.gradient_difference * std::sqrt(e.inverse_temperature)), rounded_down(std::sqrt(e.penalty))},
          e.total_variation,
          e.log_error};
}

// Accounts for the ideal releases at the delta that is left after the distance from them, whose cost
// (1 + e^epsilon) total_variation grows with the epsilon looked for: raised until it pays for itself.
Guarantee account_near_gaussian(std::span<const PrivacyEvent> events, double delta, double width) {
  require_in_open_range("delta", delta, 0, 1);
  std::vector<PrivacyEvent> ideal;
  double distance = 0, log_error = 0;
  for (PrivacyEvent event : events) {
    if (is_near_gaussian(event)) {
      const NearGaussian near = near_gaussian(event);
      const auto repetitions = static_cast<double>(event.repetitions);
      distance = rounded_up(distance + repetitions * near.total_variation);
      log_error = rounded_up(log_error + repetitions * near.log_error);
      event.mechanism = near.ideal;
    }
    ideal.push_back(event);
  }
  double epsilon = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const double left = rounded_down(std::exp(-log_error) * (delta - rounded_up((1 + std::exp(epsilon)) * distance)));
    require(left > 0, fmt::format("delta {} does not cover the distance of a release from its ideal", delta));
    Guarantee guarantee = account(ideal, left, width);
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
  throw ArgumentError(fmt::format("delta {} does not cover the distance of a release from its ideal", delta));
}
// [/proof]

// [proof privacy_accountant.parts]
bool is_division(const PrivacyEvent& event) { return std::holds_alternative<DisjointPartsEvent>(event.mechanism); }

constexpr double kMostRoles = 64;  // lists to account for; more divisions are charged for all their parts

}  // namespace

std::vector<std::vector<PrivacyEvent>> roles_of(std::span<const PrivacyEvent> events) {
  double count = 1;
  for (const PrivacyEvent& event : events) {
    if (const auto* division = std::get_if<DisjointPartsEvent>(&event.mechanism)) {
      count *= std::pow(static_cast<double>(division->parts.size()), static_cast<double>(event.repetitions));
    }
  }
  const bool all_parts = !(count <= kMostRoles);
  std::vector<std::vector<PrivacyEvent>> roles(1);
  for (const PrivacyEvent& event : events) {
    const auto* division = std::get_if<DisjointPartsEvent>(&event.mechanism);
    for (std::int64_t i = 0; i < (division && !all_parts ? event.repetitions : 1); ++i) {
      std::vector<std::vector<PrivacyEvent>> longer;
      for (const std::vector<PrivacyEvent>& role : roles) {
        if (!division) {
          longer.push_back(role);
          longer.back().push_back(event);
          continue;
        }
        if (all_parts) longer.push_back(role);
        for (const std::vector<PrivacyEvent>& part : division->parts) {
          if (!all_parts) longer.push_back(role);
          for (PrivacyEvent each : part) {
            if (all_parts) {
              require(each.repetitions <= INT64_MAX / event.repetitions, "too many repetitions of a division");
              each.repetitions *= event.repetitions;
            }
            longer.back().push_back(each);
          }
        }
      }
      roles = std::move(longer);
    }
  }
  return roles;
}

namespace {

// The dearest role. mu and rho are told where every role has them.
Guarantee account_parts(std::span<const PrivacyEvent> events, double delta, double width) {
  std::optional<Guarantee> dearest;
  for (const std::vector<PrivacyEvent>& role : roles_of(events)) {
    const Guarantee one = account(role, delta, width);
    if (!dearest) {
      dearest = one;
      continue;
    }
    // Told with a delta, the promise is that of an accountant who has one.
    const bool names = one.pure == dearest->pure ? one.epsilon > dearest->epsilon : dearest->pure;
    if (names) dearest->accountant = one.accountant;
    dearest->epsilon = std::max(dearest->epsilon, one.epsilon);
    dearest->delta = std::max(dearest->delta, one.delta);
    dearest->pure = dearest->pure && one.pure;
    dearest->mu = dearest->mu && one.mu ? std::optional(std::max(*dearest->mu, *one.mu)) : std::nullopt;
    dearest->rho = dearest->rho && one.rho ? std::optional(std::max(*dearest->rho, *one.rho)) : std::nullopt;
  }
  return *dearest;
}
// [/proof]

// [proof privacy_accountant.unprotected]
// Before everything else: no accountant may find a smaller number for a list that holds such a release.
Guarantee account_unprotected(std::span<const PrivacyEvent> events) {
  return {.epsilon = std::numeric_limits<double>::infinity(),
          .neighbours = events.front().neighbours,
          .accountant = "none"};
}
// [/proof]

}  // namespace

Guarantee account(std::span<const PrivacyEvent> events, double delta, double width) {
  validate(events);
  require_positive_finite("width", width);
  if (std::any_of(events.begin(), events.end(), is_division)) return account_parts(events, delta, width);
  if (is_unprotected(events)) return account_unprotected(events);
  if (std::any_of(events.begin(), events.end(), is_full_sample))
    return account(without_full_samples(events), delta, width);
  if (std::any_of(events.begin(), events.end(), is_near_gaussian)) return account_near_gaussian(events, delta, width);
  Guarantee guarantee;
  if (!events.empty()) guarantee.neighbours = events.front().neighbours;
  if (std::any_of(events.begin(), events.end(), is_other)) {
    require_in_open_range("delta", delta, 0, 1);
    Bound bound = best_composed(events, delta, width);
    // Releases of which no one accountant knows all.
    if (std::isinf(bound.epsilon) && releases_in(events) > 1) bound = {basic_composition(events, delta), "basic"};
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
    return account_objectives(events, delta, width, guarantee);
  }
  const auto gaussians = std::count_if(events.begin(), events.end(), is_gaussian);
  if (gaussians == 0) {
    require(delta >= 0 && delta < 1, "delta", fmt::format("must be at least 0 and below 1; got {}", delta));
    guarantee.accountant = "pure";
    guarantee.epsilon = pure_epsilon(events);
    if (delta > 0 && releases_in(events) > 1) improve_by_delta(guarantee, events, delta, width);
    return guarantee;
  }
  require(delta > 0 && delta < 1,
          fmt::format("a Gaussian release needs a delta strictly between 0 and 1; got {}", delta));
  guarantee.pure = false;
  guarantee.delta = delta;
  guarantee.rho = zcdp_rho(events);
  if (static_cast<std::size_t>(gaussians) < events.size()) return account_mixed(events, delta, width, guarantee);
  guarantee.mu = gaussian_mu(events);
  guarantee.epsilon = epsilon_gaussian(*guarantee.mu, delta);
  guarantee.accountant = "gaussian-dp";
  return guarantee;
}

}  // namespace dperm::privacy
