// SPDX-License-Identifier: Apache-2.0
// A release in words: what left, how much one row could change it, and the noise that hides the change.
#pragma once

#include <string>

#include "dperm/privacy/events/event.hpp"

namespace dperm::report {

// "200 x noisy gradient: Gaussian noise of 119 times the most that one row can change it"
// `who` is the unit that the event is stated for.
std::string event_words(const privacy::PrivacyEvent& event, const std::string& who = "one row");

}  // namespace dperm::report
