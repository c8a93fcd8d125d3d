// SPDX-License-Identifier: Apache-2.0
// Records as they were read, opened for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dperm/engine/dataset.hpp"

namespace dperm::neighbours {

// In place of every code of a row that does not count, where persons are protected.
inline constexpr std::int32_t kBlank = std::numeric_limits<std::int32_t>::min();

struct Seen {
  std::string error;  // empty: they were read
  std::shared_ptr<const schema::Encoding> encoding;
  std::size_t rows = 0, width = 0;
  std::vector<std::int32_t> codes;  // row by row: columns in schema order, then the target
  std::optional<data::Dataset> dataset;
};

}  // namespace dperm::neighbours
