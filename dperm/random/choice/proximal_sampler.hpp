// SPDX-License-Identifier: Apache-2.0
// The proximal sampler on an integer lattice: K rounds of "add Gaussian noise, then draw from the target times a
// Gaussian around the result". Every coin is exact; how far K rounds stay from the target is told in
// proximal_sampler.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dperm/random/bits.hpp"

namespace dperm::random {

// Proposals of a larger norm than this could not be counted in 64 bits.
inline constexpr double kLargestProximalRadius = 0x1p60;

// All public. Lengths are in lattice units.
struct ProximalSettings {
  std::size_t dimension;
  std::int64_t rounds;
  double start_sigma;           // the chain starts at rounded Gaussian noise around 0
  double forward_sigma;         // noise added to x, giving y
  double backward_sigma;        // of the proposals, below forward_sigma
  double cost_weight;           // the target is exp(-cost_weight * cost(x)) times a Gaussian, see below
  double slack;                 // see ProximalTarget::prepare
  double radius;                // proposals of larger norm are rejected
  std::int64_t most_proposals;  // in a round; after that x stays where it was
  std::function<void(std::int64_t)> after_round = {};  // is told how many rounds are over, and nothing else
};

// The target is proportional to exp(-cost_weight cost(x) - (1/backward^2 - 1/forward^2) ||x||^2 / 2) on the ball.
class ProximalTarget {
 public:
  virtual ~ProximalTarget() = default;
  virtual std::int64_t cost(std::span<const std::int64_t> point) const = 0;
  // Sets two points near the minimum of the target times the Gaussian around y, such that for every x in the ball (and
  // every y but those that a proof charges to the distance)
  //   cost_weight (cost(x) - cost(anchor)) + slack >= sum_j (y_j / forward^2 - centre_j / backward^2) (x_j - anchor_j).
  virtual void prepare(std::span<const std::int64_t> y, std::span<std::int64_t> anchor,
                       std::span<std::int64_t> centre) const = 0;
};

// Throws ArgumentError, before the target is looked at, for settings that the samplers cannot meet.
std::vector<std::int64_t> sample_proximal(BitSource& bits, const ProximalTarget& target,
                                          const ProximalSettings& settings);

// Rounds after which the total variation distance is at most `distance`, if it starts with a Kullback-Leibler
// divergence of `divergence` and the target has log-Sobolev constant `strength`, in units of 1 / forward_sigma^2.
// Rounded up; 9e18 where it is more.
double proximal_rounds(double divergence, double distance, double strength);

}  // namespace dperm::random
