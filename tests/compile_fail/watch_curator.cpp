// SPDX-License-Identifier: Apache-2.0
// Only the audit gives a curator a witness: a method cannot look at queries on their way out.
// expect: private
#include "dperm/privacy/curator/curator.hpp"

std::size_t rows_of(dperm::random::BitSource& bits, dperm::privacy::Witness& witness) {
  using dperm::privacy::Neighbours;
#ifdef CHEAT
  const dperm::privacy::Curator curator(bits, Neighbours::replace_one, 1, &witness);
#else
  static_cast<void>(witness);
  const dperm::privacy::Curator curator(bits, Neighbours::replace_one, 1);
#endif
  return curator.unit_rows();
}
