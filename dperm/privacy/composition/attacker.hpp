// SPDX-License-Identifier: Apache-2.0
// A guarantee as what an attacker reaches. Note: privacy_curve.md.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// Someone knows all other records, and that one of two equally likely values stands in the last one: the largest share
// of right guesses after these releases, less a half, times two. From the releases where their loss distributions are
// known, else from the guarantee alone.
double advantage(std::span<const PrivacyEvent> events, const Guarantee& guarantee);

// Upper bounds of the share that is found at each share of false alarms; nothing where some release has no loss
// distribution. Where a record takes part in one of several lists of releases, the dearest counts.
std::optional<std::vector<double>> attack_rates(std::span<const PrivacyEvent> events,
                                                const std::vector<double>& false_positive_rates);

// The share of right guesses, from a half to 1. Advantages of releases that were chosen with earlier ones in view add
// up: `advantage` may be such a sum.
double right_guesses(double advantage);

}  // namespace dperm::privacy
