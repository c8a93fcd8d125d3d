// SPDX-License-Identifier: Apache-2.0
// The two steps of objective perturbation that pass through the curator: the random term, and the computed minimiser
// with its own noise. Proof note: objective_perturbation.md.
#pragma once

#include <cstdint>
#include <vector>

#include "dperm/methods/objective_perturbation/objective_settings.hpp"
#include "dperm/privacy/curator/curator.hpp"

namespace dperm::methods {

using ObjectiveTerm = Sensitive<std::vector<std::int64_t>>;

ObjectiveTerm draw_term(const ObjectiveSettings& settings, privacy::Curator& curator);

// The minimiser with that term on these rows, in encoded units.
privacy::Released<std::vector<double>> release_minimiser(const ObjectiveSettings& settings,
                                                         const Sensitive<engine::SharedSums>& sums,
                                                         const ObjectiveTerm& term, privacy::Curator& curator,
                                                         Threads threads);

// What the two record.
std::vector<privacy::PrivacyEvent> objective_events(const ObjectiveSettings& settings);

}  // namespace dperm::methods
