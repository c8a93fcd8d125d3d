// SPDX-License-Identifier: Apache-2.0
// A loss distribution brought onto the grid origin + i * step from above and from below. Note: loss_sum.md.
#pragma once

#include <cstdint>
#include <vector>

#include "dperm/privacy/distributions/loss_distribution.hpp"

namespace dperm::privacy {

// Relative error of a mass and error of a loss, each, after discretisation.
inline constexpr double kLossMargin = 0x1p-36;

struct DiscreteLoss {
  double origin;              // loss of index 0
  std::int64_t first;         // index of upper[0] and lower[0]
  std::vector<double> upper;  // P-masses of a distribution that dominates, together with `infinite`
  std::vector<double> lower;  // P-masses of a distribution that is dominated; their sum may be below 1; or empty
  double infinite;            // P-mass of an infinite loss in the dominating distribution
  std::int64_t stride = 1;    // on a grid that is finer by this factor, first and all later indices are multiples of it

  // The loss of upper[i] and lower[i], `step` being that of the finer grid.
  double at(std::size_t i, double step) const {
    return origin + static_cast<double>((first + static_cast<std::int64_t>(i)) * stride) * step;
  }
};

enum class Ends { both, upper };

// How many grid points discretise() would use.
double grid_points(const LossDistribution& distribution, double step, double tail);

// `tail`: the mass that may be moved to infinity and dropped.
DiscreteLoss discretise(const LossDistribution& distribution, double origin, double step, double tail,
                        Ends ends = Ends::both);

}  // namespace dperm::privacy
