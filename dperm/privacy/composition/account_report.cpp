// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/account_report.hpp"

#include <array>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/distributions/event_distribution.hpp"

namespace dperm::privacy {
namespace {

constexpr std::array kFalsePositiveRates = {0.001, 0.01, 0.1};

void check(std::span<const PrivacyEvent> events, const AccountQuery& question) {
  require(!events.empty(), "name at least one event");
  require(question.delta || question.epsilon, "give `delta` for an epsilon, `epsilon` for a delta, or both");
  require_positive_finite("`width`", question.width);
  require(question.group >= 1, "`group` must be at least 1 record");
  require(question.group == 1 || question.epsilon, "`group` needs `epsilon`: its delta is shown at that epsilon");
  if (question.epsilon) require_in_closed_range("`epsilon`", *question.epsilon, 0, kMaximumEpsilon);
}

Attack attack_on(const PrivacyCurve& curve) {
  Attack attack{curve.advantage(), 0, {}};
  attack.success = rounded_up((1 + attack.advantage) / 2);
  const std::vector<double> wrong(kFalsePositiveRates.begin(), kFalsePositiveRates.end());
  const std::vector<double> right = curve.true_positive_rates(wrong);
  for (std::size_t i = 0; i < wrong.size(); ++i) attack.rates.push_back({wrong[i], right[i]});
  return attack;
}

}  // namespace

AccountReport report(std::span<const PrivacyEvent> events, const AccountQuery& question) {
  check(events, question);
  AccountReport result;
  if (question.delta) {
    result.guarantee = account(events, *question.delta, question.width);
    if (*question.delta > 0) result.comparison = compare_accountants(events, *question.delta, question.width);
  }
  if (!has_loss_distributions(events)) {
    require(!question.epsilon, "delta at an epsilon is not known for these releases; ask with `delta`");
    return result;
  }
  const PrivacyCurve curve(events);
  result.lower_is_partial = curve.lower_is_partial();
  if (question.epsilon) {
    result.delta = curve.delta(*question.epsilon);
    if (question.group > 1) result.group_delta = curve.group_delta(question.group, *question.epsilon);
  }
  result.attack = attack_on(curve);
  return result;
}

}  // namespace dperm::privacy
