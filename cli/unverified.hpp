// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dperm/model/model.hpp"

namespace dperm::cli {

// Says first, on standard error, that a model's claims do not follow from its parts, for commands that go on all the
// same. That a file calls itself not private is no such claim.
void warn_unless_verified(const std::string& path, model::Model model);

}  // namespace dperm::cli
