// SPDX-License-Identifier: Apache-2.0
// Many different releases as mixtures of a few laws, bounded from above or from below. Note: loss_law.md.
#pragma once

#include <vector>

#include "dperm/privacy/event.hpp"
#include "dperm/privacy/event_law.hpp"

namespace dperm::privacy {

struct CountedEvent {
  PrivacyEvent event;  // its own repetitions are not read
  double count;
};

enum class Side { above, below };

// Laws whose composition dominates (`above`) or is dominated by (`below`) that of all releases. Releases of one family
// that differ in noise or rate share at most a few dozen laws; others keep a law each. Laws from below are for one
// order of the neighbours only.
std::vector<LawCount> few_laws(const std::vector<CountedEvent>& releases, Side side);

}  // namespace dperm::privacy
