// SPDX-License-Identifier: Apache-2.0
// The knots next to a row's values, with their integer values in 1/32767: for passes that go row by row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dperm/data/tiles/tiles.hpp"

namespace dperm::data {

// Calls visit(weight index, value) for curves and steps, then for pairs. cell(j) is q of real column j; any q is well.
template <class Cell, class Visit>
void for_each_knot(const TileLayout& layout, Cell&& cell, Visit&& visit) {
  for (const std::size_t j : layout.curves()) {
    const schema::RealCode& code = layout.real_code(j);
    const schema::CurvePoint at = schema::curve_point(cell(j), code.pieces, code.steps, code.from_zero);
    visit(code.first_knot + at.piece, schema::kRealOne - at.fraction);
    if (!code.steps) visit(code.first_knot + at.piece + 1, at.fraction);
  }
  for (const schema::PairCode& pair : layout.pairs()) {
    const auto point = [&](std::size_t j) {
      return schema::curve_point(cell(j), pair.pieces, false, layout.real_code(j).from_zero);
    };
    const schema::CurvePoint a = point(pair.first), b = point(pair.second);
    const auto values = schema::pair_values(a.fraction, b.fraction);
    const std::size_t line = pair.pieces + 1, knot = pair.first_knot + a.piece * line + b.piece;
    visit(knot, values[0]);
    visit(knot + 1, values[1]);
    visit(knot + line, values[2]);
    visit(knot + line + 1, values[3]);
  }
}

template <class Visit>
void for_each_knot(const TileLayout& layout, const TileView& tile, std::size_t row, Visit&& visit) {
  for_each_knot(layout, [&](std::size_t j) { return tile.real(layout, j)[row]; }, visit);
}

// How many times for_each_knot calls.
inline std::size_t knots_per_row(const TileLayout& layout) {
  std::size_t count = 4 * layout.pairs().size();
  for (const std::size_t j : layout.curves()) count += layout.real_code(j).steps ? 1u : 2u;
  return count;
}

}  // namespace dperm::data
