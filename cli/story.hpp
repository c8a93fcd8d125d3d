// SPDX-License-Identifier: Apache-2.0
// How a model's guarantee follows, told as a story: bounds, releases, sum, meaning.
#pragma once

#include <string>

#include "dperm/model/model.hpp"

namespace dperm::cli {

// Of a private model.
std::string story_text(const model::Model& model);

}  // namespace dperm::cli
