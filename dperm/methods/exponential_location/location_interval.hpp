// SPDX-License-Identifier: Apache-2.0
// How sure a released mean, median or quantile is about the population that the rows were drawn from: intervals that
// count the noise and the drawing of the rows. Note: location_interval.md.
#pragma once

#include <cstdint>

#include "dperm/methods/promise.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::methods {

inline constexpr double kUsualConfidence = 0.95;

// The interval around a released mean of targets in [-1, 1]. Free: the spread of the targets is bounded by their mean.
ReleasedInterval mean_interval(double mean, const privacy::Mechanism& noise, std::size_t rows, double confidence);

// The ranks, doubled, whose noisy quantiles enclose the population's quantile of this level.
struct EndRanks {
  std::int64_t doubled_lower = 0, doubled_upper = 0;
  bool has_lower = false, has_upper = false;  // false: so few rows that the end is the public bound
};
// `rank_scale` is the scale of the choice among `candidates` of doubled rank errors.
EndRanks end_ranks(double level, std::size_t rows, double confidence, double rank_scale, double candidates);

}  // namespace dperm::methods
