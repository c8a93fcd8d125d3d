// SPDX-License-Identifier: Apache-2.0
// Composition as in the textbook, for any releases whose single costs are known: a last resort, and for comparison.
// Both return upper bounds of epsilon at delta, perhaps infinite, and throw ArgumentError as `account` does.
#pragma once

#include <span>

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// Every release at an equal share of delta, epsilons added.
double basic_composition(std::span<const PrivacyEvent> events, double delta);
// Advanced composition [DR14, Thm 3.20], half of delta for it.
double advanced_composition(std::span<const PrivacyEvent> events, double delta);

}  // namespace dperm::privacy
