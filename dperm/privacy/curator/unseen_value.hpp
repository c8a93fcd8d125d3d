// SPDX-License-Identifier: Apache-2.0
// How far a release of selected counts is from the Gaussian release that it is accounted for as.
// Note: dperm/privacy/curator/select_values.md.
#pragma once

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// An upper bound on the probability that one of `values` counts of zero reaches the threshold by its noise alone.
double unseen_value_probability(const SelectedCountsEvent& event);

// The smallest threshold, up to rounding, for which that bound is at most `probability`.
std::uint64_t threshold_for(double sigma, std::uint64_t values, double probability);

}  // namespace dperm::privacy
