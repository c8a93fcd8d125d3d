// SPDX-License-Identifier: Apache-2.0
// What verifying a model takes on trust, because no file can show it: in sentences for people.
#pragma once

#include <string>
#include <vector>

#include "dperm/model/model.hpp"

namespace dperm::model {

// Never empty. `is_signed`: the very bytes were signed by somebody whom the reader knows, so that nobody else removed
// or changed anything.
std::vector<std::string> taken_on_trust(const Model& model, bool is_signed = false);

}  // namespace dperm::model
