// SPDX-License-Identifier: Apache-2.0
// What the columns of a model add to its score, as text: coefficients a line each, curves and surfaces a block each.
#pragma once

#include <string>

#include "dperm/model/model.hpp"

namespace dperm::cli {

// Of a linear model, with one score or one per class.
std::string effects_table(const model::Model& model);

}  // namespace dperm::cli
