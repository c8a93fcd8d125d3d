// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/shapes.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/schema/rules.hpp"

namespace dperm::schema {

Schema without_shapes(const Schema& schema) {
  Schema result = schema;
  result.pairs.clear();
  result.inferred.clear();
  result.target.inferred.clear();
  for (Column& column : result.columns) {
    column.shape = column.knots.empty() ? ColumnShape::automatic : ColumnShape::curve;
    column.pieces = 0;
    column.monotone = Monotone::none;
    column.inferred.clear();
  }
  return result;
}

namespace {

constexpr std::uint32_t kOnePerValue = 16;

// A category in order has no more pieces than there are steps between its values.
std::uint32_t most_pieces(const Column& column) {
  const auto between = static_cast<std::uint32_t>(std::max<std::size_t>(column.values.size(), 2) - 1);
  if (column.kind == ColumnKind::category) return std::min(kMostPieces, between);
  if (column.kind == ColumnKind::real) return kMostPieces;
  const double width = std::floor(column.upper) - std::ceil(column.lower);
  return width < kMostPieces ? static_cast<std::uint32_t>(std::max(width, 1.0)) : kMostPieces;
}

}  // namespace

Schema with_shapes(const Schema& schema, ColumnShape shape, std::uint32_t pieces, std::uint32_t pair_pieces) {
  Schema result = schema;
  for (Column& column : result.columns) {
    if (!enters_as_number(column)) continue;
    if (column.shape == ColumnShape::automatic) column.shape = shape;
    const bool has_pieces = column.shape == ColumnShape::curve || column.shape == ColumnShape::steps;
    if (has_pieces && column.knots.empty() && column.pieces == 0) {
      // Few values have a knot each: an even grid beside them would blur what is known of both neighbours.
      const std::uint32_t most = most_pieces(column);
      column.pieces = most <= kOnePerValue && pieces > 1 ? most : std::clamp(pieces, 1u, most);
    }
    // One piece is the linear term again.
    if (column.shape == ColumnShape::curve && piece_count(column) == 1) {
      column.shape = ColumnShape::linear;
      column.pieces = 0;
    }
  }
  for (ColumnPair& pair : result.pairs) {
    if (pair.pieces == 0) pair.pieces = std::clamp(pair_pieces, 1u, kMostPairPieces);
  }
  return result;
}

}  // namespace dperm::schema
