// SPDX-License-Identifier: Apache-2.0
#include "dperm/accounting.hpp"

#include "dperm/model/model_json.hpp"
#include "dperm/privacy/calibration/find.hpp"
#include "dperm/privacy/composition/account_report.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm {

std::vector<PrivacyEvent> parse_events(std::string_view json) { return model::parse_events(json, "events"); }
std::string to_json(const std::vector<PrivacyEvent>& events) { return model::events_to_json(events); }

Guarantee account(std::span<const PrivacyEvent> events, double delta) { return privacy::account(events, delta); }

double delta_at(std::span<const PrivacyEvent> events, double epsilon, std::int64_t group) {
  const privacy::AccountReport report = privacy::report(events, {.epsilon = epsilon, .group = group});
  return report.group_delta ? *report.group_delta : report.delta->upper;
}

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
