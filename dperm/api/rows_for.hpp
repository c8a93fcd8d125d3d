// SPDX-License-Identifier: Apache-2.0
// Rows as a model sees them.
#pragma once

#include "dperm/dataset.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/model.hpp"

namespace dperm::api {

// The rows read as features by the model's schema; ArgumentError for rows of another one.
data::Dataset rows_for(const Model& model, const Dataset& dataset);

}  // namespace dperm::api
