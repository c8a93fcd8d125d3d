// SPDX-License-Identifier: Apache-2.0
// The public task with the facts that follow from its schema.
#pragma once

#include "dperm/methods/task.hpp"
#include "dperm/task.hpp"

namespace dperm::api {

// Throws DataError for an invalid schema and ArgumentError for a finite class that it does not allow.
methods::Task internal(const Task& task);

}  // namespace dperm::api
