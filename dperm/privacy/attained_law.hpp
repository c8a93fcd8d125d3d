// SPDX-License-Identifier: Apache-2.0
// A pair of neighbouring outputs that an event really has: what it costs at least. Note: loss_law.md.
#pragma once

#include "dperm/privacy/event.hpp"
#include "dperm/privacy/loss_law.hpp"

namespace dperm::privacy {

// The loss law of one pair of neighbours of some mechanism with the event's facts, the same pair in every repetition;
// empty where none is known (perturbed objectives, private selection, densities sampled approximately).
Law attained_law(const PrivacyEvent& event);

}  // namespace dperm::privacy
