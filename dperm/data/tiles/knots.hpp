// SPDX-License-Identifier: Apache-2.0
// The knots next to a row's values, with their integer values in 1/32767: for passes that go row by row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dperm/data/tiles/tiles.hpp"

namespace dperm::data {

// The knots next to one value (of a step: one) or around one point of a surface. Their values are not negative and add
// up to 32767.
struct Knots {
  std::size_t count;
  std::array<std::size_t, 4> weights;  // distinct
  std::array<std::int32_t, 4> values;
};

// Calls visit(Knots) for curves and steps, then for pairs. cell(j) is q of real column j; any q is well.
template <class Cell, class Visit>
void for_each_curve(const TileLayout& layout, Cell&& cell, Visit&& visit) {
  for (const std::size_t j : layout.curves()) {
    const schema::RealCode& code = layout.real_code(j);
    const schema::CurvePoint at = schema::curve_point(cell(j), code.pieces, code.steps, code.from_zero);
    const std::size_t knot = code.first_knot + at.piece;
    visit(Knots{code.steps ? 1u : 2u, {knot, knot + 1}, {schema::kRealOne - at.fraction, at.fraction}});
  }
  for (const schema::PairCode& pair : layout.pairs()) {
    const auto point = [&](std::size_t j) {
      return schema::curve_point(cell(j), pair.pieces, false, layout.real_code(j).from_zero);
    };
    const schema::CurvePoint a = point(pair.first), b = point(pair.second);
    const std::size_t line = pair.pieces + 1, knot = pair.first_knot + a.piece * line + b.piece;
    visit(Knots{4, {knot, knot + 1, knot + line, knot + line + 1}, schema::pair_values(a.fraction, b.fraction)});
  }
}

// The same one by one: visit(weight index, value).
template <class Cell, class Visit>
void for_each_knot(const TileLayout& layout, Cell&& cell, Visit&& visit) {
  for_each_curve(layout, cell, [&](const Knots& knots) {
    for (std::size_t i = 0; i < knots.count; ++i) visit(knots.weights[i], knots.values[i]);
  });
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
