// SPDX-License-Identifier: Apache-2.0
// The wrapper around the records of a dataset cannot be taken off.
// expect: value_.*private|private.*value_
#include "dperm/engine/dataset.hpp"

const dperm::engine::SharedSums* unwrap(const dperm::data::Dataset& dataset) {
#ifdef CHEAT
  return &dataset.sums().value_;
#else
  return dataset.rows() > 0 ? nullptr : nullptr;
#endif
}
