// SPDX-License-Identifier: Apache-2.0
// The public facts of a dataset are open, sums over its records are not.
// expect: has no member named .sorted_targets|no member named .sorted_targets
#include "dperm/engine/dataset.hpp"

std::size_t look(const dperm::data::Dataset& dataset) {
#ifdef CHEAT
  return dataset.sums().sorted_targets({}).size();
#else
  return dataset.rows();
#endif
}
