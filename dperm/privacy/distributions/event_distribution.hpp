// SPDX-License-Identifier: Apache-2.0
// Which loss distribution dominates an event, with the factors of its neighbouring relation. Note:
// loss_distribution.md.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dperm/privacy/distributions/loss_distribution.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// `reverse` is the distribution for the neighbours in the other order, empty when equal. Weight and spread as in
// LossShare.
struct DistributionShare {
  Distribution forward;
  Distribution reverse;
  double weight;
  double spread;
};

// A dominating pair `count` times; or, where `blend` is not empty, mixtures of its pairs, the first of which is also
// forward and reverse, for releases that all differ. `moments` then bounds e^-log_reference times the sum of the
// releases' moments E e^(theta L) from below, for forward; it is empty where they are not known.
struct DistributionCount {
  Distribution forward;
  Distribution reverse;
  double count;
  std::vector<DistributionShare> blend = {};
  std::function<double(double theta, double log_reference)> moments = {};
};

struct EventDistributions {
  std::vector<DistributionCount> distributions;
  // `distributions` (or, of different releases, `moments`) are those of some neighbours. Otherwise `below` holds the
  // same for other neighbours, without the events for which `below_is_partial`.
  bool attained = true;
  std::vector<DistributionCount> below;
  bool below_is_partial = false;
  double slack_delta = 0;
};

// The pair that dominates one repetition.
DistributionCount distribution_of(const PrivacyEvent& event);

// False where an event is known to the Renyi accountant only (private selection without a pure epsilon).
bool has_loss_distributions(std::span<const PrivacyEvent> events);

// All Gaussian releases become one distribution and equal events one entry. Throws ArgumentError unless
// has_loss_distributions.
EventDistributions distributions_of(std::span<const PrivacyEvent> events);

// Upper bounds of pure epsilons.
double sampled_laplace_epsilon(const SampledLaplaceEvent& event, Neighbours neighbours);
bool has_pure_epsilon(const SelectionEvent& event);

}  // namespace dperm::privacy
