// SPDX-License-Identifier: Apache-2.0
// Renyi divergences of events and what they say about epsilon. Note: renyi.md.
#pragma once

#include <compare>
#include <functional>
#include <span>
#include <vector>

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// Upper bounds of the Renyi divergences between neighbouring outputs of all events together, both ways; infinity where
// none is known (samples of fixed size, perturbed objectives that are not Gaussian-DP). Work that does not depend on
// the order is done once.
class RenyiCurve {
 public:
  explicit RenyiCurve(std::span<const PrivacyEvent> events);
  double at(double order) const;  // order > 1

 private:
  struct Part {
    std::function<double(double order)> divergence;
    double repetitions;
  };
  std::vector<Part> parts_;
};

// One order of it.
double renyi_divergence(std::span<const PrivacyEvent> events, double order);

struct RenyiBound {
  double epsilon;
  double order;  // that gives it
  auto operator<=>(const RenyiBound&) const = default;
};
// The smallest epsilon over a range of orders by the conversion of [CKS20, Prop. 12]; rounded up. Infinity for more
// than 64 different sampled Gaussians, which are left to privacy-loss distributions.
RenyiBound renyi_bound(std::span<const PrivacyEvent> events, double delta);
double renyi_epsilon(std::span<const PrivacyEvent> events, double delta);
// The epsilon that one order gives.
double renyi_epsilon_at(std::span<const PrivacyEvent> events, double delta, double order);

}  // namespace dperm::privacy
