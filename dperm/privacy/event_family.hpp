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

// Laws whose composition dominates that of all releases (`above`), or that of pairs of neighbours that they have, with
// their moments (`below`; not complete where no pair is known). Releases of one family that differ in noise or rate
// share their laws; others keep a law each.
struct FewLaws {
  std::vector<LawCount> laws;
  bool complete = true;
};
FewLaws few_laws(const std::vector<CountedEvent>& releases, Side side);

}  // namespace dperm::privacy
