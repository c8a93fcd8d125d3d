// SPDX-License-Identifier: Apache-2.0
// The effects in a model in a few lines: one a column, the largest first.
#pragma once

#include <string>
#include <vector>

#include "dperm/model/model.hpp"

namespace dperm::cli {

// At most `most` lines; where there are more columns the last one says so. Empty for networks and rules.
std::vector<std::string> effect_lines(const model::Model& model, std::size_t most);

}  // namespace dperm::cli
