// SPDX-License-Identifier: Apache-2.0
// Nobody but the curator reads a value computed from records.
// expect: value_.*private|private.*value_
#include "dperm/core/sensitive.hpp"

int peek(const dperm::Sensitive<int>& count) {
#ifdef CHEAT
  return count.value_;
#else
  return static_cast<int>(sizeof count);
#endif
}
