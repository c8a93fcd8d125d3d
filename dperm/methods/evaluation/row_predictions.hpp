// SPDX-License-Identifier: Apache-2.0
// What a fitted model predicts for rows, in the terms of their target: labels, probabilities, numbers in its own unit.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/evaluation/prediction.hpp"
#include "dperm/methods/evaluation/prediction_columns.hpp"

namespace dperm::methods {

// From a row's scores, as outputs() gives them.
RowPredictions row_predictions(const Task& task, const schema::Target& target, std::span<const double> outputs);

// About the given rows, so Sensitive like them. Throws ArgumentError where the model does not fit the rows' schema.
Sensitive<RowPredictions> predict(const data::Dataset& dataset, const FittedModel& model, Threads threads);

}  // namespace dperm::methods
