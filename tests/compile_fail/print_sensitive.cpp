// SPDX-License-Identifier: Apache-2.0
// A value computed from records has no textual form.
// expect: no match for .operator<<|invalid operands to binary expression
#include <ostream>

#include "dperm/core/sensitive.hpp"

void show(std::ostream& out, const dperm::Sensitive<int>& count) {
#ifdef CHEAT
  out << count;
#else
  out << sizeof count;
#endif
}
