// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/attacker.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/distributions/event_distribution.hpp"

namespace dperm::privacy {

namespace {

// (epsilon, delta) allows 1 - 2 (1 - delta) / (1 + e^epsilon), where both errors are equal.
double of_guarantee(const Guarantee& guarantee) {
  if (!std::isfinite(guarantee.epsilon)) return 1;
  return rounded_up(rounded_up(std::tanh(guarantee.epsilon / 2)) +
                    2 * guarantee.delta / (1 + std::exp(guarantee.epsilon)));
}

// One for every list of releases that a record can take part in; nothing where some release has no loss distribution.
std::optional<std::vector<PrivacyCurve>> curves_of(std::span<const PrivacyEvent> events) {
  if (events.empty()) return std::nullopt;
  std::vector<PrivacyCurve> curves;
  for (const std::vector<PrivacyEvent>& role : roles_of(events)) {
    if (!has_loss_distributions(role)) return std::nullopt;
    curves.emplace_back(role);
  }
  return curves;
}

}  // namespace

double advantage(std::span<const PrivacyEvent> events, const Guarantee& guarantee) {
  const double known = std::min(of_guarantee(guarantee), 1.0);
  const auto curves = curves_of(events);
  if (!curves) return known;
  double dearest = 0;
  for (const PrivacyCurve& each : *curves) dearest = std::max(dearest, each.advantage());
  return std::min(known, dearest);
}

std::optional<std::vector<double>> attack_rates(std::span<const PrivacyEvent> events,
                                                const std::vector<double>& false_positive_rates) {
  const auto curves = curves_of(events);
  if (!curves) return std::nullopt;
  return true_positive_rates(*curves, false_positive_rates);
}

double right_guesses(double advantage) { return std::min(1.0, rounded_up((1 + advantage) / 2)); }

}  // namespace dperm::privacy
