// SPDX-License-Identifier: Apache-2.0
// Comparing two values computed from records would reveal a bit of them.
// expect: deleted
#include "dperm/core/sensitive.hpp"

bool same(const dperm::Sensitive<int>& a, const dperm::Sensitive<int>& b) {
#ifdef CHEAT
  return a == b;
#else
  return &a == &b;
#endif
}
