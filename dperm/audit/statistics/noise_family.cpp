// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/statistics/noise_family.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"

namespace dperm::audit {

namespace {

privacy::PrivacyCurve curve_with(std::span<const privacy::PrivacyEvent> events, double factor) {
  std::vector<privacy::PrivacyEvent> scaled(events.begin(), events.end());
  for (privacy::PrivacyEvent& event : scaled) {
    if (auto* sampled = std::get_if<privacy::SampledGaussianEvent>(&event.mechanism)) sampled->sigma *= factor;
    if (auto* plain = std::get_if<privacy::GaussianEvent>(&event.mechanism)) plain->sigma *= factor;
  }
  return privacy::PrivacyCurve(scaled);
}

}  // namespace

bool is_noise_family(std::span<const privacy::PrivacyEvent> events) {
  return !events.empty() && std::all_of(events.begin(), events.end(), [](const privacy::PrivacyEvent& event) {
    return std::holds_alternative<privacy::SampledGaussianEvent>(event.mechanism) ||
           std::holds_alternative<privacy::GaussianEvent>(event.mechanism);
  });
}

// [proof audit_bounds.family]
double epsilon_of_advantage(std::span<const privacy::PrivacyEvent> events, double advantage, double delta) {
  require(is_noise_family(events), "a family of noise is that of Gaussian releases and Gaussian releases of samples");
  if (!(advantage > 0)) return 0;
  const auto refuted = [&](double factor) { return curve_with(events, factor).advantage() < advantage; };
  constexpr double kFarthest = 64;
  double stands = 1, falls = 1;
  while (stands > 1 / kFarthest && refuted(stands)) falls = stands, stands /= 2;
  if (stands == 1) {
    while (falls < kFarthest && !refuted(falls)) stands = falls, falls *= 2;
    if (falls >= kFarthest) return 0;
  }
  for (int i = 0; i < 12; ++i) {
    const double middle = std::sqrt(stands * falls);
    (refuted(middle) ? falls : stands) = middle;
  }
  return curve_with(events, falls).epsilon(delta).lower;
}
// [/proof]

}  // namespace dperm::audit
