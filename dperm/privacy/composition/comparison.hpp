// SPDX-License-Identifier: Apache-2.0
// One list of events under every accountant that knows it. Note: accountant.md.
#pragma once

#include <optional>
#include <span>

#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// Upper bounds of epsilon at one delta; empty where an accountant does not apply or promises nothing.
struct Comparison {
  std::optional<double> pure;            // sum of pure epsilons, delta 0
  std::optional<double> basic;           // textbook: every release at an equal share of delta, epsilons added
  std::optional<double> advanced;        // textbook: advanced composition [DR14, Thm 3.20], half of delta for it
  std::optional<double> zcdp;            // tight conversion
  std::optional<double> renyi;           // tight conversion
  std::optional<double> gaussian_dp;     // exact
  std::optional<Interval> privacy_loss;  // contains the exact value
  bool lower_is_partial = false;         // of privacy_loss, see PrivacyCurve
};

Comparison compare_accountants(std::span<const PrivacyEvent> events, double delta, double width = kDefaultWidth);

}  // namespace dperm::privacy
