// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/non_private/measured_excess.hpp"

#include <fmt/core.h>

#include "dperm/core/check.hpp"
#include "dperm/methods/non_private/optimum.hpp"

namespace dperm::methods {

Sensitive<MeasuredExcess> measured_excess(const data::Dataset& dataset, const FittedModel& model, Threads threads) {
  require_convex_and_smooth(model.task.problem, "what privacy cost");
  require(dataset.rows() == model.task.facts.rows,
          fmt::format("what privacy cost is measured on the rows that the model was learned from, {}; these are {}",
                      model.task.facts.rows, dataset.rows()));
  return dataset.sums().map([&](const engine::RowSums& sums) {
    const Optimum best = exact_optimum(sums, model.task, threads);
    return MeasuredExcess{penalised_risk_at(sums, model.task, model.weights, threads),
                          penalised_risk_at(sums, model.task, best.weights, threads), best.residual};
  });
}

}  // namespace dperm::methods
