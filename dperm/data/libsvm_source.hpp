// SPDX-License-Identifier: Apache-2.0
// LIBSVM text: "label index:value ...", one record a line, absent values are 0. Columns are called by their index, the
// label is the column "label".
#pragma once

#include <string_view>

namespace dperm::data {

// True when the first line is a number followed by at least one index:value pair.
bool looks_like_libsvm(std::string_view start);

}  // namespace dperm::data
