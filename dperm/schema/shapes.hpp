// SPDX-License-Identifier: Apache-2.0
// Shapes of number columns as a whole: cells of a table are encoded without them, so the same rows can be read with
// any.
#pragma once

#include <cstdint>
#include <string_view>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

// What decides how cells are encoded: everything but shapes, pieces, directions and pairs. Knots that were given stay,
// because they say where the values of a column lie in its range.
Schema without_shapes(const Schema& schema);

// The same schema with every shape that is left open filled in: columns by `shape` (linear, or a curve or steps of
// `pieces`), curves and steps without a number of pieces by `pieces`, pairs without one by `pair_pieces`.
Schema with_shapes(const Schema& schema, ColumnShape shape, std::uint32_t pieces, std::uint32_t pair_pieces);

// As people write it: "linear", "curve", "steps", "curve:8" with the number of pieces; "auto" and the empty text leave
// open what is open. Shapes that the schema has stay. Throws ArgumentError for other texts.
Schema with_shape_text(const Schema& schema, std::string_view shape);

}  // namespace dperm::schema
