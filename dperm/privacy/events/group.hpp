// SPDX-License-Identifier: Apache-2.0
// What a release costs someone who has several records: the event for neighbours that differ in up to `rows` of them.
// Note: group.md.
#pragma once

#include <cstddef>
#include <vector>

#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

// `mechanism` is stated for one record. The same for up to `rows` (1 to kMostGroup) at once: sensitivities and ranges
// times rows, Poisson samples with that `group`. Throws ArgumentError with the reason for kinds without such a theorem:
// perturbed objectives with a delta, samples of fixed size, private selection.
Mechanism for_group(const Mechanism& mechanism, std::size_t rows);
std::vector<PrivacyEvent> for_group(std::vector<PrivacyEvent> events, std::size_t rows);

}  // namespace dperm::privacy
