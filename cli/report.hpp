// SPDX-License-Identifier: Apache-2.0
// Pages about models.
#pragma once

#include <string>
#include <vector>

#include "dperm/model/model.hpp"

namespace dperm::cli {

// Throws where a page could not be written to `path`, or would replace an input or anything but an older page: a model
// that is named by mistake is the record of a budget that is spent.
void check_page(const std::string& path, const std::vector<std::string>& inputs);

// `name`: the model's file.
void write_report(const std::string& path, const model::Model& model, const std::string& name);

}  // namespace dperm::cli
