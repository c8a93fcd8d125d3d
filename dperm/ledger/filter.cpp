// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/filter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/renyi.hpp"

namespace dperm::ledger {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A sum that is not below the real one.
double up(double a, double b) { return b == 0 ? a : a == 0 ? b : std::nextafter(a + b, kInfinity); }

// [proof ledger_filter.regions]
// Of delta, for requests that enter with a delta of their own. The rest is for turning the currency into epsilon.
constexpr double kBlockShare = 0.5;
// The union over these regions is what the cap admits. Most of the rest goes to the region for requests that all have a
// cost in the currency (gaussian: the first; renyi: the middle order).
constexpr double kMainShare = 0.5;
constexpr std::size_t kSteps = 15;  // gaussian: the other requests' epsilon, as fifteenths of the cap
constexpr std::array kOrderFactors = {0.125, 0.25, 0.5, 0.7071, 1.0, 1.4142, 2.0, 4.0};
constexpr std::size_t kMiddle = 4;

double block_delta(const Cap& cap) {
  const bool adds_up = cap.currency == Currency::pure || cap.currency == Currency::basic;
  return adds_up ? cap.delta : kBlockShare * cap.delta;
}

double region_delta(const Cap& cap, bool main, std::size_t others) {
  const double share = main ? kMainShare : (1 - kMainShare) / static_cast<double>(others);
  return rounded_down((1 - kBlockShare) * cap.delta * share);
}

double gaussian_epsilon(const Cap& cap, const Sum& sum) {
  if (sum.mu_squared == 0) return sum.epsilon;
  const double mu = rounded_up(std::sqrt(sum.mu_squared));
  double least = kInfinity;
  for (std::size_t k = 0; k <= kSteps; ++k) {
    const double step = cap.epsilon * static_cast<double>(k) / kSteps;
    if (!(sum.epsilon <= step)) continue;
    const double delta = region_delta(cap, k == 0, kSteps);
    least = std::min(least, up(step, privacy::epsilon_gaussian(mu, delta)));
    if (k > 0) break;  // later ones have the same share of delta and a larger step
  }
  return least;
}

double renyi_epsilon(const Cap& cap, const Sum& sum) {
  if (sum.divergences.empty()) return 0;
  double least = sum.divergences.back();  // the infinite order: pure
  for (std::size_t k = 0; k < cap.orders.size(); ++k) {
    const double order = cap.orders[k], total = sum.divergences[k];
    const double delta = region_delta(cap, k == kMiddle, cap.orders.size() - 1);
    const double rest = std::log1p(-1 / order) - (std::log(delta) + std::log(order)) / (order - 1);
    least = std::min(least, std::max(0.0, total + rest + kRelativeMargin * (total + 100 / (order - 1))));
  }
  return least;
}
// [/proof]

// The middle one is the best for zCDP at the cap.
std::vector<double> fixed_orders(const Cap& cap) {
  const double delta = region_delta(cap, true, 1);
  double low = 0, high = cap.epsilon + 1;
  for (int i = 0; i < 100; ++i) {
    const double rho = (low + high) / 2;
    (privacy::zcdp_epsilon(rho, delta) <= cap.epsilon ? low : high) = rho;
  }
  const double excess = std::clamp(std::sqrt(-std::log(delta) / low), 0.5, 1000.0);
  std::vector<double> orders;
  for (const double factor : kOrderFactors) orders.push_back(1 + excess * factor);
  return orders;
}

// [proof ledger_filter.costs]
std::optional<double> mu_squared_of(std::span<const privacy::PrivacyEvent> events) {
  std::vector<privacy::PrivacyEvent> gaussians;
  for (const privacy::PrivacyEvent& event : events) {
    const auto gaussian = privacy::as_gaussian(event);
    if (!gaussian) return std::nullopt;
    gaussians.push_back(event);
    gaussians.back().mechanism = *gaussian;
  }
  if (gaussians.empty()) return std::nullopt;
  const double mu = privacy::gaussian_mu(gaussians);
  return std::nextafter(mu * mu, kInfinity);
}

double pure_epsilon_of(std::span<const privacy::PrivacyEvent> events) {
  try {
    return privacy::pure_epsilon(events);
  } catch (const ArgumentError&) {
    return kInfinity;
  }
}

// At the orders, and last the pure epsilon; nothing where no order has a bound.
std::vector<double> divergences_of(const Cap& cap, std::span<const privacy::PrivacyEvent> events) {
  std::vector<double> result;
  if (events.empty()) return result;
  try {
    const privacy::RenyiCurve curve(events);
    for (const double order : cap.orders) result.push_back(curve.at(order));
  } catch (const ArgumentError&) {
    return {};  // an event that Renyi divergences do not know
  }
  const auto infinite = [](double each) { return !std::isfinite(each); };
  if (std::all_of(result.begin(), result.end(), infinite)) return {};
  result.push_back(pure_epsilon_of(events));
  return result;
}

// Of a release of which nothing is known but its epsilon: those of randomised response.
std::vector<double> divergences_of_pure(const Cap& cap, double epsilon) {
  std::vector<double> result(cap.orders.size(), 0.0);
  if (epsilon > 0) {
    const std::vector<privacy::PrivacyEvent> one = {
        {.what = "block", .mechanism = privacy::RandomisedResponseEvent{epsilon}, .neighbours = cap.neighbours}};
    const privacy::RenyiCurve curve(one);
    for (std::size_t k = 0; k < cap.orders.size(); ++k) result[k] = curve.at(cap.orders[k]);
  }
  result.push_back(epsilon);
  return result;
}
// [/proof]

}  // namespace

Cap checked(Cap cap) {
  require_positive_finite("epsilon", cap.epsilon);
  if (cap.currency == Currency::pure) {
    require(cap.delta == 0, "delta", "is 0 with the currency pure; choose basic, gaussian or renyi for others");
  } else {
    require_in_open_range("delta", cap.delta, 0, 1);
  }
  cap.unit = unit_of(schema::Unit{cap.unit.column}, std::move(cap.unit.missing));
  cap.orders = cap.currency == Currency::renyi ? fixed_orders(cap) : std::vector<double>();
  return cap;
}

Cost cost_of(const Cap& cap, std::span<const privacy::PrivacyEvent> events, double epsilon, double delta) {
  require_nonnegative_finite("epsilon", epsilon);
  require(delta >= 0 && delta < 1, "delta", fmt::format("must be at least 0 and below 1; got {}", delta));
  privacy::validate(events);
  for (const privacy::PrivacyEvent& event : events) {
    require(event.neighbours == cap.neighbours,
            fmt::format("the dataset counts neighbours that are {}, and this request is stated for {}",
                        word(cap.neighbours), word(event.neighbours)));
  }
  Cost cost{epsilon, delta};
  if (cap.currency == Currency::gaussian) cost.mu_squared = mu_squared_of(events);
  if (cap.currency == Currency::renyi) cost.divergences = divergences_of(cap, events);
  return cost;
}

// [proof ledger_filter.sum]
Sum plus(const Cap& cap, Sum sum, const Cost& cost) {
  if (cap.currency == Currency::gaussian && cost.mu_squared) {
    sum.mu_squared = up(sum.mu_squared, *cost.mu_squared);
    return sum;
  }
  if (cap.currency == Currency::renyi) {
    const bool own = !cost.divergences.empty();
    const std::vector<double> added = own ? cost.divergences : divergences_of_pure(cap, cost.epsilon);
    sum.divergences.resize(added.size());
    for (std::size_t k = 0; k < added.size(); ++k) sum.divergences[k] = up(sum.divergences[k], added[k]);
    if (!own) sum.delta = up(sum.delta, cost.delta);
    return sum;
  }
  sum.epsilon = up(sum.epsilon, cost.epsilon);
  sum.delta = up(sum.delta, cost.delta);
  return sum;
}

Spent spent(const Cap& cap, const Sum& sum) {
  if (cap.currency == Currency::renyi) {
    const double epsilon = renyi_epsilon(cap, sum);
    const bool pure = sum.divergences.empty() || epsilon == sum.divergences.back();
    return {epsilon, up(sum.delta, pure ? 0 : (1 - kBlockShare) * cap.delta)};
  }
  if (cap.currency == Currency::gaussian) {
    return {gaussian_epsilon(cap, sum), up(sum.delta, sum.mu_squared == 0 ? 0 : (1 - kBlockShare) * cap.delta)};
  }
  return {sum.epsilon, sum.delta};
}

bool within(const Cap& cap, const Sum& sum) {
  return spent(cap, sum).epsilon <= cap.epsilon * (1 + kDecimalSlack) &&
         sum.delta <= block_delta(cap) * (1 + kDecimalSlack);
}
// [/proof]

Spent room(const Cap& cap, const Sum& sum) {
  Spent left{0, std::max(0.0, block_delta(cap) - sum.delta)};
  if (!within(cap, sum)) return {0, 0};
  const auto fits = [&](double epsilon) { return within(cap, plus(cap, sum, {epsilon, 0})); };
  double low = 0, high = cap.epsilon;
  if (fits(high)) return {high, left.delta};
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  left.epsilon = low > 2 * kDecimalSlack * cap.epsilon ? low : 0;  // last digits are no room
  return left;
}

double attacker_success(const Spent& spent) {
  // (e^epsilon + delta) / (1 + e^epsilon)
  const double odds = std::exp(-spent.epsilon);
  return std::min(1.0, rounded_up((1 + spent.delta * odds) / (1 + odds)));
}

}  // namespace dperm::ledger
