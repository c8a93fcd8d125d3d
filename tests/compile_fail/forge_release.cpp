// SPDX-License-Identifier: Apache-2.0
// Only the curator makes a Released: a value that never met noise cannot be passed off as one.
// expect: private
#include "dperm/privacy/curator/released.hpp"

dperm::privacy::Released<double> doubled(const dperm::privacy::Released<double>& honest) {
#ifdef CHEAT
  return dperm::privacy::Released<double>(2 * honest.get());
#else
  return honest.map([](double value) { return 2 * value; });
#endif
}
