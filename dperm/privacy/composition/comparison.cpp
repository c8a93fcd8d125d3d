// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/renyi.hpp"
#include "dperm/privacy/distributions/event_distribution.hpp"

namespace dperm::privacy {
namespace {

// Accountants refuse what they do not know by ArgumentError; infinity promises nothing.
std::optional<double> if_known(const std::function<double()>& bound) {
  try {
    const double value = bound();
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  } catch (const ArgumentError&) {
    return std::nullopt;
  }
}

struct Single {
  double epsilon;  // of one repetition at its share of delta
  double count;
};

std::vector<Single> singles(std::span<const PrivacyEvent> events, double delta) {
  double count = 0;
  for (const PrivacyEvent& event : events) count += static_cast<double>(event.repetitions);
  std::vector<Single> result;
  for (const PrivacyEvent& event : events) {
    PrivacyEvent once = event;
    once.repetitions = 1;
    result.push_back({account(std::span(&once, 1), delta / count).epsilon, static_cast<double>(event.repetitions)});
  }
  return result;
}

double basic(std::span<const PrivacyEvent> events, double delta) {
  double sum = 0;
  for (const Single& each : singles(events, delta)) sum += each.count * each.epsilon;
  return rounded_up(sum);
}

double advanced(std::span<const PrivacyEvent> events, double delta) {
  double squares = 0, drift = 0;
  for (const Single& each : singles(events, delta / 2)) {
    squares += each.count * each.epsilon * each.epsilon;
    drift += each.count * each.epsilon * std::expm1(each.epsilon);
  }
  return rounded_up(std::sqrt(2 * std::log(2 / delta) * squares) + drift);
}

}  // namespace

Comparison compare_accountants(std::span<const PrivacyEvent> events, double delta, double width) {
  require_in_open_range("delta", delta, 0, 1);
  for (const PrivacyEvent& event : events) validate(event);
  Comparison result;
  result.pure = if_known([&] { return pure_epsilon(events); });
  result.basic = if_known([&] { return basic(events, delta); });
  result.advanced = if_known([&] { return advanced(events, delta); });
  result.zcdp = if_known([&] { return zcdp_epsilon(zcdp_rho(events), delta); });
  result.renyi = if_known([&] { return renyi_epsilon(events, delta); });
  result.gaussian_dp = if_known([&] { return epsilon_gaussian(gaussian_mu(events), delta); });
  if (has_loss_distributions(events)) {
    try {
      const PrivacyCurve curve(events);
      result.privacy_loss = curve.epsilon(delta, width);
      result.lower_is_partial = curve.lower_is_partial();
    } catch (const ArgumentError&) {
      // Too many different releases for distributions.
    }
  }
  return result;
}

}  // namespace dperm::privacy
