// SPDX-License-Identifier: Apache-2.0
// What files up to version 2 left to defaults that have changed since.
#pragma once

#include <vector>

#include "dperm/methods/options.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::model {

// Steps on samples of a model with one linear score had other defaults: the same options with what was left open filled
// in, as the file's own events say. Others are returned as they are, and so are plain steps in a set, whose settings
// follow from their theorem: its constants have changed with the arithmetic, and such files no longer verify.
methods::AlgorithmOptions with_settings_of_version_2(methods::AlgorithmOptions options, const methods::Task& task,
                                                     const std::vector<privacy::PrivacyEvent>& events);

}  // namespace dperm::model
