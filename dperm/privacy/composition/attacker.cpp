// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/attacker.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/rounding.hpp"
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

}  // namespace

double advantage(std::span<const PrivacyEvent> events, const Guarantee& guarantee) {
  const double known = of_guarantee(guarantee);
  if (events.empty() || !has_loss_distributions(events)) return std::min(known, 1.0);
  return std::min({known, PrivacyCurve(events).advantage(), 1.0});
}

double right_guesses(double advantage) { return std::min(1.0, rounded_up((1 + advantage) / 2)); }

}  // namespace dperm::privacy
