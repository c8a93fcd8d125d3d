// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/comparison.hpp"

#include <cmath>
#include <functional>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/renyi.hpp"
#include "dperm/privacy/composition/textbook.hpp"
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

}  // namespace

Comparison compare_accountants(std::span<const PrivacyEvent> events, double delta, double width) {
  require_in_open_range("delta", delta, 0, 1);
  for (const PrivacyEvent& event : events) validate(event);
  Comparison result;
  result.pure = if_known([&] { return pure_epsilon(events); });
  result.basic = if_known([&] { return basic_composition(events, delta); });
  result.advanced = if_known([&] { return advanced_composition(events, delta); });
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
