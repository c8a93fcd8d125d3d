// SPDX-License-Identifier: Apache-2.0
// One number about the targets alone: their mean, a median or a quantile, and how it is released. What the algorithms
// exponential-location and constant share. Note: exponential_location.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dperm/methods/exponential_location/location_costs.hpp"
#include "dperm/methods/exponential_location/location_interval.hpp"
#include "dperm/methods/plan.hpp"

namespace dperm::methods {

inline constexpr const char* kLocation = "location";  // what its event says
inline constexpr const char* kIntervalEnd = "end of the interval";

// All numbers a run needs; a function of public facts alone.
struct LocationSettings {
  Task task;
  LocationGrid grid{};
  bool by_rank = true;
  std::int64_t doubled_rank = 0;
  LossWeights weights{1, 1};
  privacy::Mechanism mechanism;
  std::optional<double> interval;      // its confidence
  std::optional<EndRanks> ends;        // of a quantile's interval
  privacy::Mechanism end_mechanism{};  // of each end
  double excess_risk = 0;
  std::vector<DerivationStep> derivation;
};

// Throws ArgumentError for a task with feature columns, another loss than squared, absolute and pinball, and options of
// another one.
LocationSettings location_settings(const Task& task, const ExponentialLocationOptions& options);

std::vector<privacy::PrivacyEvent> location_events(const LocationSettings& settings);

// The number, alone in a vector: the intercept of a model without features. With its interval, where one is asked for.
Trained release_location(const LocationSettings& settings, const data::Dataset& dataset, privacy::Curator& curator,
                         Threads threads);

}  // namespace dperm::methods
