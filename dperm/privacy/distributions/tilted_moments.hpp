// SPDX-License-Identifier: Apache-2.0
// Moments of a discretised distribution under an exponential tilt. Internal to this room. Note: loss_sum.md.
#pragma once

#include <vector>

#include "dperm/privacy/distributions/discrete_loss.hpp"

namespace dperm::privacy {

// ln sum_i mass_i e^(theta g_i), g_i = loss.at(i, step), with its first two derivatives.
struct TiltedMoments {
  double log, mean, variance;
};
TiltedMoments tilted_moments(const DiscreteLoss& loss, const std::vector<double>& masses, double step, double theta);

}  // namespace dperm::privacy
