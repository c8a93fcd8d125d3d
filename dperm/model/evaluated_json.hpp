// SPDX-License-Identifier: Apache-2.0
// Measures of a model as JSON: the same in the model file and on the command line.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dperm/methods/evaluation/measures.hpp"

namespace dperm::model {

// What could not be told is null.
nlohmann::ordered_json evaluated_json(const methods::Evaluated& evaluated);

}  // namespace dperm::model
