// SPDX-License-Identifier: Apache-2.0
// What of a plan an inverse question asks for.
#pragma once

#include <functional>

#include "dperm/planner/forecast.hpp"

namespace dperm::planner {

// Smaller is better; infinity where nothing is known.
using Measure = std::function<double(const methods::Plan&)>;

double proven_risk(const methods::Plan& plan);
// The share of right answers that is forecast to be lost.
Measure predicted_accuracy_loss(Population population);

}  // namespace dperm::planner
