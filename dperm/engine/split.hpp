// SPDX-License-Identifier: Apache-2.0
// A dataset in two: some of its rows, and all others.
#pragma once

#include <cstddef>
#include <vector>

#include "dperm/engine/dataset.hpp"

namespace dperm::data {

struct Split {
  Dataset chosen, rest;
};

// `chosen` holds `size` strictly increasing row numbers; size is public, at least 1 and below the number of rows
// (ArgumentError). Rows keep their order.
Split split(const Dataset& dataset, const Sensitive<std::vector<std::size_t>>& chosen, std::size_t size);

// By persons, for rows read with the schema's unit (ArgumentError): `chosen` has one entry for each of persons_of().
// Either part has the number of rows of the whole; rows of persons of the other part are blank in it.
Sensitive<std::size_t> persons_of(const Dataset& dataset);
Split split_persons(const Dataset& dataset, const Sensitive<std::vector<bool>>& chosen);

}  // namespace dperm::data
