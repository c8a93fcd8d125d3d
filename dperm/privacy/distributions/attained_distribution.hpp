// SPDX-License-Identifier: Apache-2.0
// A pair of neighbouring outputs that an event really has: what it costs at least. Note: loss_distribution.md.
#pragma once

#include "dperm/privacy/distributions/loss_distribution.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// The loss distribution of one pair of neighbours of some mechanism with the event's facts, the same pair in every
// repetition; empty where none is known (perturbed objectives, private selection, densities sampled approximately).
Distribution attained_distribution(const PrivacyEvent& event);

}  // namespace dperm::privacy
