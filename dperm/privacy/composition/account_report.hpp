// SPDX-License-Identifier: Apache-2.0
// All that accounting says about a list of releases, the same for every shell. Note: accountant.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/comparison.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

struct AccountQuery {
  std::optional<double> delta = {};    // asks for the guarantee at it
  std::optional<double> epsilon = {};  // asks for delta at it, in [0, kMaximumEpsilon]
  double width = kDefaultWidth;        // of the interval around the exact epsilon
  std::int64_t group = 1;              // above 1: also delta at `epsilon` for someone with this many records
};

// What an attacker reaches who knows all other records and must say which of two neighbouring datasets was used.
struct AttackRate {
  double false_positive_rate;
  double true_positive_rate;  // an upper bound
};
struct Attack {
  double advantage;  // upper bound of the true minus the false positive rate
  double success;    // upper bound of the share of right answers, where both datasets are equally likely
  std::vector<AttackRate> rates;
};

struct AccountReport {
  std::optional<Guarantee> guarantee = {};    // account(events, delta, width): the promise
  std::optional<Comparison> comparison = {};  // every accountant beside it, where delta is above 0
  std::optional<Interval> delta = {};         // contains delta at `epsilon`
  bool lower_is_partial = false;              // of `delta`, see PrivacyCurve
  std::optional<double> group_delta = {};     // an upper bound
  std::optional<Attack> attack = {};          // where loss distributions are known
};

// Throws ArgumentError for a question that asks nothing or the impossible, and as `account` does.
AccountReport report(std::span<const PrivacyEvent> events, const AccountQuery& question);

}  // namespace dperm::privacy
