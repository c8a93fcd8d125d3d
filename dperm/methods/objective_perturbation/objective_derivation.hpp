// SPDX-License-Identifier: Apache-2.0
// The chain from bounds to noise of objective perturbation, in words and numbers.
#pragma once

#include <vector>

#include "dperm/methods/objective_perturbation/objective_settings.hpp"
#include "dperm/methods/plan.hpp"

namespace dperm::methods {

std::vector<DerivationStep> objective_derivation(const ObjectiveSettings& settings);

}  // namespace dperm::methods
