// SPDX-License-Identifier: Apache-2.0
// What a column of a text file seems to be, by its name and its first block of cells: for a template that its owner
// fills in. No value leaves.
#pragma once

#include <arrow/array.h>

#include <string>
#include <string_view>
#include <vector>

#include "dperm/data/reader.hpp"

namespace dperm::data {

RawColumn judged_column(std::string name, const arrow::BinaryViewArray& cells, const schema::TextFormat& format);

// Whether a column names persons or records, by its name, its type and cells that are not missing.
bool is_identifier(const RawColumn& column, const std::vector<std::string_view>& cells);

// Whether a text is a code that looks like a number: 01234 is a postal code, and 1234 another one.
bool is_code(std::string_view trimmed_text);

}  // namespace dperm::data
