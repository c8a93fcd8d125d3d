// SPDX-License-Identifier: Apache-2.0
// Searches on one event: the library decides which of its numbers is looked for, and in which range.
#pragma once

#include <optional>
#include <string_view>

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// The field that is an event's noise, "sigma" or "scale", and that is its sampling rate; nothing where a calibration
// does not know how to look for it.
std::optional<std::string_view> noise_field(const Mechanism& mechanism);
std::optional<std::string_view> rate_field(const Mechanism& mechanism);

// The event with the noise, the repetitions or the rate that keeps the promise; what it has for it is not read. Noise
// is looked for between 0.03 and 10^7 times what one record changes or contributes, rates from 10^-9 to 1, steps up to
// 2^40. All throw ArgumentError where none of these keeps it and where the event has no such field.
PrivacyEvent find_noise(PrivacyEvent event, double epsilon, double delta);
PrivacyEvent find_steps(PrivacyEvent event, double epsilon, double delta);
PrivacyEvent find_rate(PrivacyEvent event, double epsilon, double delta);

}  // namespace dperm::privacy
