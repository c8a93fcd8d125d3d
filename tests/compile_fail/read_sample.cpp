// SPDX-License-Identifier: Apache-2.0
// Nobody sees who was drawn into a sample: amplification by sampling needs that.
// expect: value_.*private|private.*value_
#include <vector>

#include "dperm/core/sensitive.hpp"

using Rows = std::vector<std::size_t>;

std::size_t drawn(const dperm::Sensitive<Rows>& sample) {
#ifdef CHEAT
  return sample.value_.size();
#else
  return sizeof sample;
#endif
}
