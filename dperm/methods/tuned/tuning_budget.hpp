// SPDX-License-Identifier: Apache-2.0
// What the best of a random number of runs and each single run may spend. Proof note: tuned.md.
#pragma once

#include <functional>
#include <vector>

#include "dperm/methods/options.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::methods {

// The number of runs as an event without a base.
privacy::SelectionEvent selection_distribution(const TunedOptions& options, bool pure);

// The same with the largest base, to one part in 2^30, whose selection the accountant finds within the budget: pure
// runs without a delta, else Gaussian ones. Throws ArgumentError where there is none.
privacy::SelectionEvent with_plain_base(privacy::SelectionEvent distribution, const Budget& budget);

// What a fit may spend within such a base.
Budget fit_budget(const privacy::SelectionEvent& event, const Budget& budget);

// What a run releases about a record when it is planned for `epsilon` at the task's delta: one function for the fit
// of every candidate, and one for the score.
using ReleasesAt = std::function<std::vector<privacy::PrivacyEvent>(double epsilon)>;

// For runs of any releases with Renyi divergences and privacy-loss distributions: plans each for about the largest
// epsilon (to one part in 100, searched from `guess` on) at which the selection among all of them is within the budget,
// at the order that is best for the Gaussian base of `plain`; each function is called last with the epsilon it is to
// have. Throws ArgumentError where there are none.
privacy::SelectionEvent with_released_base(privacy::SelectionEvent plain, const Budget& budget, double guess,
                                           const std::vector<ReleasesAt>& runs);

// InternalError where the releases of a fit, or of a score, cost more than the base of the selection.
void ensure_within_base(const std::vector<privacy::PrivacyEvent>& events, const privacy::SelectionEvent& event);

}  // namespace dperm::methods
