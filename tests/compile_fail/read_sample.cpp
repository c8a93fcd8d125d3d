// SPDX-License-Identifier: Apache-2.0
// Nobody sees who was drawn into a sample: amplification by sampling needs that.
// expect: value_.*private|private.*value_
#include "dperm/core/row_sample.hpp"
#include "dperm/core/sensitive.hpp"

std::size_t drawn(const dperm::Sensitive<dperm::SharedSample>& sample) {
#ifdef CHEAT
  return static_cast<const dperm::RowSample&>(sample.value_).rows();
#else
  return sizeof sample;
#endif
}
