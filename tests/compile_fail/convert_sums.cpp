// SPDX-License-Identifier: Apache-2.0
// A sensitive handle does not turn into what it holds.
// expect: invalid initialization of reference|no viable conversion
#include "dperm/engine/dataset.hpp"

const dperm::engine::RowSums* look(const dperm::data::Dataset& dataset) {
#ifdef CHEAT
  const dperm::engine::RowSums& sums = dataset.sums();
  return &sums;
#else
  return dataset.rows() > 0 ? nullptr : nullptr;
#endif
}
