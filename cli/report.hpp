// SPDX-License-Identifier: Apache-2.0
// The page about a model that was just fitted.
#pragma once

#include <string>

#include "dperm/model/model.hpp"

namespace dperm::cli {

// `name`: the model's file.
void write_report(const std::string& path, const model::Model& model, const std::string& name);

}  // namespace dperm::cli
