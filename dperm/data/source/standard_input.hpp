// SPDX-License-Identifier: Apache-2.0
// Standard input as a file: readers go over a file more than once.
#pragma once

#include <string>

namespace dperm::data {

// Reads standard input to its end, once, into a file in memory, gone when this process ends: who pipes records in may
// not want them on a disk. The path under which this process opens it. ArgumentError when nothing is piped in,
// DataError when it cannot be kept.
const std::string& standard_input();

}  // namespace dperm::data
