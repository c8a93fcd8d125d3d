// SPDX-License-Identifier: Apache-2.0
// What files up to version 3 left to defaults that have changed since.
#pragma once

#include <vector>

#include "dperm/methods/options.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::model {

// Steps on a score per class and on networks had another clip and learning rate, and those on one linear score were
// fewer where passes took long: the same options with what was left open filled in, as the file's own events say. What
// follows from a theorem is returned as it is.
methods::AlgorithmOptions with_settings_of_version_3(methods::AlgorithmOptions options, const methods::Task& task,
                                                     const std::vector<privacy::PrivacyEvent>& events);

}  // namespace dperm::model
