// SPDX-License-Identifier: Apache-2.0
// The privacy loss itself, where the density of what is released is known: no confidence, no runs.
#pragma once

#include <optional>

#include "dperm/audit/replay/pair.hpp"

namespace dperm::audit {

// The epsilon that a plan with one release has on this pair of tables: the largest log-ratio over all outputs; for
// Gaussian noise the smallest epsilon that holds with the plan's delta. `comparison` is that of the pair. For the
// minimiser of an objective with a random term of pure epsilon the largest log-ratio that climbing finds. Nothing for
// other plans.
std::optional<double> exact_epsilon(const methods::Plan& plan, const Pair& pair, const Comparison& comparison);

}  // namespace dperm::audit
