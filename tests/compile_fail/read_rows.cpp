// SPDX-License-Identifier: Apache-2.0
// Records leave their reader behind Sensitive.
// expect: has no member named .tile|no member named .tile
#include "dperm/data/reader.hpp"

std::size_t look(const dperm::data::EncodedRows& rows) {
#ifdef CHEAT
  return rows.tiles.tile(0).rows;
#else
  return rows.rows;
#endif
}
