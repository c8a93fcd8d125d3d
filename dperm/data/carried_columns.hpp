// SPDX-License-Identifier: Apache-2.0
// Columns of the files as they stand there, as text: for results that carry them along. They are records: what is made
// of them is about the given rows and belongs to whoever asks.
#pragma once

#include <string>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::data {

struct CarriedColumn {
  std::string name;
  std::vector<std::string> cells;  // row by row, in the order of read_tiles; a missing one is empty
};

// The named columns; all of them, as the first file has them, where none is named. Throws DataError and ArgumentError
// as read_tiles, DataError for a file without one of them, and ArgumentError where none is named and only records could
// tell (LIBSVM).
Sensitive<std::vector<CarriedColumn>> carried_columns(const std::vector<std::string>& patterns,
                                                      const schema::TextFormat& format,
                                                      const std::vector<std::string>& names,
                                                      const std::string& kind = {});

}  // namespace dperm::data
