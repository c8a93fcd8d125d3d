// SPDX-License-Identifier: Apache-2.0
// From a promise to the noise, steps or sampling rate that keeps it, for any kind of event. Note:
// dperm/privacy/composition/accountant.md.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// The events of a release whose noise, or rate, is `x`.
using EventsAt = std::function<std::vector<PrivacyEvent>(double x)>;

// True when the events are proved (epsilon, delta)-private, by the best accountant, to a relative sharpness of 1e-4.
// With delta 0, which needs pure releases, by the sum of their epsilons.
bool keeps(const std::vector<PrivacyEvent>& events, double epsilon, double delta);

// The smallest noise (to one part in 2000, on the safe side) in [least, most] that keeps the promise. Throws
// ArgumentError when `most` does not.
double smallest_noise(const EventsAt& events, double epsilon, double delta, double least, double most);

// The largest rate (to one part in 2000, on the safe side) in [least, most] that keeps it.
double largest_rate(const EventsAt& events, double epsilon, double delta, double least, double most);

// The largest number of repetitions of one event that keeps it, 0 when even one does not; at most `most`.
std::int64_t most_steps(PrivacyEvent event, double epsilon, double delta, std::int64_t most);

}  // namespace dperm::privacy
