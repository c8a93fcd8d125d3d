// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/shapes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "dperm/core/error.hpp"
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

namespace {

// "8" of "curve:8"; 0 where it is not a number of pieces.
std::uint32_t pieces_of(std::string_view text) {
  std::uint32_t pieces = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), pieces);
  const bool whole = status == std::errc() && end == text.data() + text.size();
  return whole && pieces <= kMostPieces ? pieces : 0;
}

}  // namespace

Schema with_shape_text(const Schema& schema, std::string_view text) {
  Schema result = schema;
  if (text.empty()) return result;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto shape = from_word<ColumnShape>(text.substr(0, colon));
  if (!shape) {
    throw ArgumentError("shape",
                        "must be auto, linear, curve or steps, or a number of pieces with it as in curve:8; got '" +
                            std::string(text) + "'");
  }
  const bool curved = *shape == ColumnShape::curve || *shape == ColumnShape::steps;
  const std::uint32_t pieces = colon < text.size() ? pieces_of(text.substr(colon + 1)) : 0;
  if (colon < text.size() && (!curved || pieces == 0)) {
    throw ArgumentError("shape", "takes 1 to " + std::to_string(kMostPieces) + " pieces, with curve or steps; got '" +
                                     std::string(text) + "'");
  }
  for (Column& column : result.columns) {
    if (!enters_as_number(column) || column.shape != ColumnShape::automatic) continue;
    column.shape = *shape;
    column.pieces = pieces;
  }
  return result;
}

}  // namespace dperm::schema
