// SPDX-License-Identifier: Apache-2.0
// Which loss law dominates an event, with the factors of its neighbouring relation. Note: loss_law.md.
#pragma once

#include <span>
#include <vector>

#include "dperm/privacy/event.hpp"
#include "dperm/privacy/loss_law.hpp"

namespace dperm::privacy {

// A dominating pair `count` times; `reverse` is the law for the neighbours in the other order, empty when equal.
struct LawCount {
  Law forward;
  Law reverse;
  double count;
};

struct EventLaws {
  std::vector<LawCount> laws;
  // Where many different sampled Gaussians were rounded up to a few: the same rounded down. Empty otherwise.
  std::vector<LawCount> below;
  double slack_delta = 0;
  bool attained = true;  // some neighbours of some mechanism with these facts have exactly these losses
};

// False where an event is known to the Renyi accountant only (private selection without a pure epsilon).
bool has_loss_laws(std::span<const PrivacyEvent> events);

// All Gaussian releases become one law and equal events one entry. Throws ArgumentError unless has_loss_laws.
EventLaws laws_of(std::span<const PrivacyEvent> events);

// Upper bounds of pure epsilons.
double sampled_laplace_epsilon(const SampledLaplaceEvent& event, Neighbours neighbours);
bool has_pure_epsilon(const SelectionEvent& event);

}  // namespace dperm::privacy
