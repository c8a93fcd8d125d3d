// SPDX-License-Identifier: Apache-2.0
// From a test's advantage to a lower bound of epsilon, where a claim says what the noise is: what mu is to Gaussian
// releases, the size of the noise is to samples. Note: bounds.md.
#pragma once

#include <span>

#include "dperm/privacy/events/event.hpp"

namespace dperm::audit {

// The smallest epsilon at `delta` of these events with their noise made larger or smaller by one factor, among those
// factors at which a test may have this advantage. A test of 0 shows nothing: 0. Gaussian noise with or without samples
// only (ArgumentError). 0 < delta < 1.
double epsilon_of_advantage(std::span<const privacy::PrivacyEvent> events, double advantage, double delta);

// Whether these are such events.
bool is_noise_family(std::span<const privacy::PrivacyEvent> events);

}  // namespace dperm::audit
