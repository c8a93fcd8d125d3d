// SPDX-License-Identifier: Apache-2.0
// What one row adds to an integer sum: the row as a table of its own, and exact norms.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tests/support/tile_builder.hpp"

namespace dperm::tests {

__extension__ typedef unsigned __int128 Wide;

inline Wide square_norm(const std::vector<std::int64_t>& v) {
  Wide sum = 0;
  for (const std::int64_t x : v) sum += static_cast<Wide>(std::llabs(x)) * static_cast<Wide>(std::llabs(x));
  return sum;
}

inline EncodedTable row_of(const EncodedTable& table, std::size_t row) {
  EncodedTable one = table;
  for (std::size_t j = 0; j < table.reals.size(); ++j) one.reals[j] = {table.reals[j][row]};
  for (std::size_t c = 0; c < table.codes.size(); ++c) one.codes[c] = {table.codes[c][row]};
  one.targets = {table.targets[row]};
  return one;
}

}  // namespace dperm::tests
