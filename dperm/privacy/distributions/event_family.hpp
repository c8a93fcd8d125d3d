// SPDX-License-Identifier: Apache-2.0
// Many different releases as mixtures of a few distributions, bounded from above or from below. Note:
// loss_distribution.md.
#pragma once

#include <vector>

#include "dperm/privacy/distributions/event_distribution.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

struct CountedEvent {
  PrivacyEvent event;  // its own repetitions are not read
  double count;
};

enum class Side { above, below };

// Distributions whose composition dominates that of all releases (`above`), or that of pairs of neighbours that they
// have, with their moments (`below`; not complete where no pair is known). Releases of one family that differ in noise
// or rate share their distributions; others keep a distribution each.
struct FewDistributions {
  std::vector<DistributionCount> distributions;
  bool complete = true;
};
FewDistributions few_distributions(const std::vector<CountedEvent>& releases, Side side);

}  // namespace dperm::privacy
