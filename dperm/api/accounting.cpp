// SPDX-License-Identifier: Apache-2.0
#include "dperm/accounting.hpp"

#include "dperm/privacy/calibration/find.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm {

Guarantee account(std::span<const PrivacyEvent> events, double delta) { return privacy::account(events, delta); }

PrivacyEvent find_noise(const PrivacyEvent& event, double epsilon, double delta) {
  return privacy::find_noise(event, epsilon, delta);
}
PrivacyEvent find_steps(const PrivacyEvent& event, double epsilon, double delta) {
  return privacy::find_steps(event, epsilon, delta);
}
PrivacyEvent find_rate(const PrivacyEvent& event, double epsilon, double delta) {
  return privacy::find_rate(event, epsilon, delta);
}

}  // namespace dperm
