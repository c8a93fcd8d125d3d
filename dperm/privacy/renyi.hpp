// SPDX-License-Identifier: Apache-2.0
// Renyi divergences of events and what they say about epsilon. Note: renyi.md.
#pragma once

#include <span>

#include "dperm/privacy/event.hpp"

namespace dperm::privacy {

// An upper bound of the Renyi divergence of order > 1 between neighbouring outputs of all events together, both ways;
// infinity where none is known (samples of fixed size, perturbed objectives that are not Gaussian-DP).
double renyi_divergence(std::span<const PrivacyEvent> events, double order);

// The smallest epsilon over a range of orders by the conversion of [CKS20, Prop. 12]; rounded up. Infinity for more
// than 64 different sampled Gaussians, which are left to privacy-loss laws.
double renyi_epsilon(std::span<const PrivacyEvent> events, double delta);

}  // namespace dperm::privacy
