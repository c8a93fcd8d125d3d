// SPDX-License-Identifier: Apache-2.0
// Public API: what releases cost, and the noise that keeps a promise. Events are plain data; the accountant sees
// nothing else, rounds to the safe side and refuses what it does not understand.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/privacy/composition/guarantee.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm {

using privacy::Guarantee;
using privacy::Mechanism;  // a variant of the event structs below
using privacy::Neighbours;
using privacy::PrivacyEvent;  // a mechanism, how often, and for which neighbours
using privacy::Sampling;

using privacy::DiscreteLaplaceEvent;
using privacy::DisjointPartsEvent;
using privacy::ExponentialEvent;
using privacy::GaussianEvent;
using privacy::KNormEvent;
using privacy::ObjectivePerturbationEvent;
using privacy::PermuteAndFlipEvent;
using privacy::PureObjectiveEvent;
using privacy::RandomisedResponseEvent;
using privacy::RegularisedExponentialEvent;
using privacy::SampledGaussianEvent;
using privacy::SampledLaplaceEvent;
using privacy::SelectionEvent;
using privacy::UnprotectedEvent;

// Events as JSON, {"events": [...]}: the list that a model file has. Throws DataError for other text.
std::vector<PrivacyEvent> parse_events(std::string_view json);
std::string to_json(const std::vector<PrivacyEvent>& events);

// The guarantee of all events together, each chosen with knowledge of the earlier results.
Guarantee account(std::span<const PrivacyEvent> events, double delta);

// The smallest proved delta at this epsilon, for one record, or for someone with `group` of them. Throws ArgumentError
// for events whose distribution of the privacy loss is not known (private selection).
double delta_at(std::span<const PrivacyEvent> events, double epsilon, std::int64_t group = 1);

// The event with the noise, the repetitions or the sampling rate that keeps (epsilon, delta); what it has for it is not
// read. Throw ArgumentError where the event has no such field and where nothing keeps the promise.
PrivacyEvent find_noise(const PrivacyEvent& event, double epsilon, double delta);
PrivacyEvent find_steps(const PrivacyEvent& event, double epsilon, double delta);
PrivacyEvent find_rate(const PrivacyEvent& event, double epsilon, double delta);

}  // namespace dperm
