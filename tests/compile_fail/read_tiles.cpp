// SPDX-License-Identifier: Apache-2.0
// The public facts of a dataset are open, its records are not.
// expect: has no member named .tile|no member named .tile
#include "dperm/data/dataset.hpp"

std::size_t look(const dperm::data::Dataset& dataset) {
#ifdef CHEAT
  return dataset.tiles().tile(0).rows;
#else
  return dataset.rows();
#endif
}
