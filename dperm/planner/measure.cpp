// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/measure.hpp"

#include <limits>
#include <utility>

namespace dperm::planner {

double proven_risk(const methods::Plan& plan) { return plan.utility.excess_risk; }

Measure predicted_accuracy_loss(Population population) {
  return [population = std::move(population)](const methods::Plan& plan) {
    const auto prediction = forecast(plan, population);
    return prediction ? prediction->accuracy_lost.value_or(std::numeric_limits<double>::infinity())
                      : std::numeric_limits<double>::infinity();
  };
}

}  // namespace dperm::planner
