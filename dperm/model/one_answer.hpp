// SPDX-License-Identifier: Apache-2.0
// Whether a classifier says the same whatever it is asked. Computed from weights and schema alone, so it costs no
// privacy.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dperm/model/model.hpp"

namespace dperm::model {

// The class (0 or 1 of a binary target, or an index into the target's values) that a linear model gives to every row
// that the schema admits; nothing where some row may get another, and for other forms of models.
std::optional<std::size_t> one_answer(const Model& model);

}  // namespace dperm::model
