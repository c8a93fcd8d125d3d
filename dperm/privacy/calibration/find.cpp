// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/calibration/find.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/privacy/calibration/search.hpp"
#include "dperm/privacy/events/event_fields.hpp"

namespace dperm::privacy {
namespace {

constexpr double kLeastNoise = 0.03, kMostNoise = 1e7, kLeastRate = 1e-9;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;

// A number of an event that a search changes, and what one record changes or contributes. `value` is null where the
// event has no such number.
struct Sought {
  std::string_view field = {};
  double* value = nullptr;
  double unit = 1;
};

Sought noise_of(Mechanism& mechanism) {
  return std::visit(
      []<class Event>(Event& e) -> Sought {
        if constexpr (std::is_same_v<Event, GaussianEvent>) return {"sigma", &e.sigma, e.l2_sensitivity};
        if constexpr (std::is_same_v<Event, KNormEvent>) return {"scale", &e.scale, e.l2_sensitivity};
        if constexpr (std::is_same_v<Event, SampledGaussianEvent>) return {"sigma", &e.sigma, e.contribution};
        if constexpr (std::is_same_v<Event, SampledLaplaceEvent>) return {"scale", &e.scale, e.contribution};
        return {};
      },
      mechanism);
}

Sought rate_of(Mechanism& mechanism) {
  return std::visit(
      []<class Event>(Event& e) -> Sought {
        if constexpr (requires { e.rate; }) return {"rate", &e.rate};
        return {};
      },
      mechanism);
}

std::optional<std::string_view> field_of(Mechanism mechanism, Sought (*sought)(Mechanism&)) {
  const Sought found = sought(mechanism);
  return found.value ? std::optional(found.field) : std::nullopt;
}

// The number, or ArgumentError with the kinds of event that have it.
Sought require_sought(const char* what, Mechanism& mechanism, Sought (*sought)(Mechanism&)) {
  const Sought found = sought(mechanism);
  if (found.value) return found;
  std::vector<std::string_view> words;
  for (const std::string_view each : kMechanismWords) {
    Mechanism other = empty_mechanism(each).value();
    if (sought(other).value) words.push_back(each);
  }
  throw ArgumentError(fmt::format("{} is found for {}; got '{}'", what, fmt::join(words, ", "), word_of(mechanism)));
}

}  // namespace

std::optional<std::string_view> noise_field(const Mechanism& mechanism) { return field_of(mechanism, noise_of); }
std::optional<std::string_view> rate_field(const Mechanism& mechanism) { return field_of(mechanism, rate_of); }

PrivacyEvent find_noise(PrivacyEvent event, double epsilon, double delta) {
  const double unit = require_sought("noise", event.mechanism, noise_of).unit;
  const EventsAt events = [&](double noise) {
    *noise_of(event.mechanism).value = noise;
    return std::vector{event};
  };
  require(unit > 0, "noise is found for a sensitivity or contribution above 0");
  validate(events(kMostNoise * unit));
  events(smallest_noise(events, epsilon, delta, kLeastNoise * unit, kMostNoise * unit));
  return event;
}

PrivacyEvent find_rate(PrivacyEvent event, double epsilon, double delta) {
  require_sought("a rate", event.mechanism, rate_of);
  const EventsAt events = [&](double rate) {
    *rate_of(event.mechanism).value = rate;
    return std::vector{event};
  };
  validate(events(1));
  events(largest_rate(events, epsilon, delta, kLeastRate, 1));
  return event;
}

PrivacyEvent find_steps(PrivacyEvent event, double epsilon, double delta) {
  event.repetitions = 1;
  validate(event);
  event.repetitions = most_steps(event, epsilon, delta, kMostSteps);
  require(event.repetitions > 0, fmt::format("even one release exceeds epsilon {:g}", epsilon));
  return event;
}

}  // namespace dperm::privacy
