// SPDX-License-Identifier: Apache-2.0
// Files of format version 1 in today's words. Internal to this room.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace dperm::model {

// What a file of version 1 says, under the names of the current version. Leaves alone what does not look as expected:
// the reader says what is wrong with it.
nlohmann::json from_version_1(nlohmann::json file);

}  // namespace dperm::model
