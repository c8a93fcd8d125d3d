// SPDX-License-Identifier: Apache-2.0
// What privacy cost a model on its own rows: its penalised risk above the least that any weights of its feasible set
// have. Exact, hence NOT private: for the owner of the data.
#pragma once

#include "dperm/core/sensitive.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/evaluation/prediction.hpp"

namespace dperm::methods {

struct MeasuredExcess {
  double risk;      // penalised mean risk of the model
  double least;     // of the best weights
  double residual;  // of the solver at those: how exact `least` is

  double excess() const { return risk - least; }
};

// Throws ArgumentError where the model is no linear one, its loss has a kink, or the rows are not as many as it was
// learned from.
Sensitive<MeasuredExcess> measured_excess(const data::Dataset& dataset, const FittedModel& model, Threads threads);

}  // namespace dperm::methods
