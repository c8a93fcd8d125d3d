// SPDX-License-Identifier: Apache-2.0
// Tiles from columns that are already encoded, for tests of the engine and of what stands on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "dperm/data/tiles/tile_writer.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::tests {

// How a real column enters.
struct RealShape {
  std::uint32_t pieces = 0;  // 0: linear
  bool steps = false;
  bool from_zero = false;

  std::size_t blocks() const { return pieces > 0 && !steps ? 2 : 1; }
  std::size_t weights() const { return pieces == 0 ? 1 : steps ? pieces : pieces + 2; }
};

// A surface over two real columns.
struct RealPair {
  std::size_t first, second;
  std::uint32_t pieces;
};

// Columns of equal length: integers q of the reals, codes of the categories (code == levels: none), encoded targets.
struct EncodedTable {
  std::vector<std::vector<std::int16_t>> reals;
  std::vector<std::uint32_t> levels;
  std::vector<std::vector<std::uint32_t>> codes;
  std::vector<std::int32_t> targets;
  std::size_t classes = 0;  // of a target of kind class; 0: the schema calls the target real

  std::vector<RealShape> shapes = {};  // one per real column; none: all linear
  std::vector<RealPair> pairs = {};

  std::size_t rows() const { return targets.size(); }
  RealShape shape(std::size_t j) const { return shapes.empty() ? RealShape{} : shapes[j]; }
  std::size_t columns() const {  // blocks
    std::size_t sum = 1 + levels.size() + pairs.size();
    for (std::size_t j = 0; j < reals.size(); ++j) sum += shape(j).blocks();
    return sum;
  }
  std::size_t dimension() const {
    std::size_t sum = 1;
    for (std::size_t j = 0; j < reals.size(); ++j) sum += shape(j).weights();
    for (const std::uint32_t count : levels) sum += count;
    for (const RealPair& pair : pairs) sum += std::size_t{pair.pieces + 1} * (pair.pieces + 1);
    return sum;
  }
};

// The same rows, the real columns as curves, steps and linear terms by turns, with few and many pieces and from zero or
// from below, and surfaces over some.
inline EncodedTable with_curves(EncodedTable table) {
  const RealShape kinds[] = {{8, false, false}, {5, true, false},   {},
                             {17, false, true}, {63, false, false}, {33, true, true},
                             {1, false, false}, {0, false, true}};
  table.shapes.clear();
  for (std::size_t j = 0; j < table.reals.size(); ++j) table.shapes.push_back(kinds[j % std::size(kinds)]);
  table.pairs.clear();
  if (table.reals.size() >= 2) table.pairs.push_back({0, 1, 4});
  if (table.reals.size() >= 3) table.pairs.push_back({2, 0, 1});
  if (table.reals.size() >= 4) table.pairs.push_back({1, 3, 7});
  return table;
}

// A table as it is, and with curves.
inline std::vector<EncodedTable> plain_and_curves(const EncodedTable& table) { return {table, with_curves(table)}; }

inline schema::Encoding encoding_for(const EncodedTable& table) {
  schema::Schema schema;
  for (std::size_t j = 0; j < table.reals.size(); ++j) {
    schema::Column column;
    column.name = std::to_string(j).append(" real");
    column.lower = -1;
    column.upper = 1;
    const RealShape shape = table.shape(j);
    column.pieces = shape.pieces;
    if (shape.pieces > 0) column.shape = shape.steps ? schema::ColumnShape::steps : schema::ColumnShape::curve;
    if (shape.from_zero) column.zero = schema::Zero::lower;
    schema.columns.push_back(column);
  }
  for (const RealPair& pair : table.pairs) {
    schema.pairs.push_back({schema.columns[pair.first].name, schema.columns[pair.second].name, pair.pieces});
  }
  for (std::size_t c = 0; c < table.levels.size(); ++c) {
    schema::Column column;
    column.name = std::to_string(c).append(" category");
    column.kind = schema::ColumnKind::category;
    column.missing = schema::MissingRule::none;
    for (std::uint32_t level = 0; level < table.levels[c]; ++level) column.values.push_back(std::to_string(level));
    schema.columns.push_back(column);
  }
  schema.target.name = std::string("target");
  if (table.classes > 0) {
    schema.target.kind = schema::TargetKind::classes;
    for (std::size_t k = 0; k < table.classes; ++k) schema.target.values.push_back(std::to_string(k));
  } else if (std::all_of(table.targets.begin(), table.targets.end(), [](auto y) { return y == 1 || y == -1; })) {
    schema.target.kind = schema::TargetKind::binary;
    schema.target.positive = {"yes"};
  } else {
    schema.target.kind = schema::TargetKind::real;
    schema.target.lower = -1;
    schema.target.upper = 1;
  }
  return schema::Encoding(schema);
}

// The table as tiles of the given height (0: the default height).
inline data::TileSet build_tiles(const EncodedTable& table, std::size_t height = 0) {
  const data::TileLayout layout(encoding_for(table), height);
  data::TileWriter writer(layout);
  writer.extend(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const data::TileWriter::Piece piece = writer.piece(row);
    for (std::size_t j = 0; j < table.reals.size(); ++j) {
      std::memcpy(piece.tile + layout.real_offset(j) + 2 * piece.row, &table.reals[j][row], 2);
    }
    for (std::size_t c = 0; c < table.levels.size(); ++c) {
      const auto width = static_cast<std::size_t>(layout.category_width(c));
      std::memcpy(piece.tile + layout.category_offset(c) + width * piece.row, &table.codes[c][row], width);
    }
    std::memcpy(piece.tile + layout.target_offset() + 4 * piece.row, &table.targets[row], 4);
  }
  return writer.finish();
}

// Random rows with plenty of extremes: q = +-32767 and 0, missing categories, targets at both ends.
inline EncodedTable random_table(std::size_t rows, std::size_t reals, const std::vector<std::uint32_t>& levels,
                                 bool binary_target, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  EncodedTable table;
  table.levels = levels;
  table.reals.assign(reals, std::vector<std::int16_t>(rows));
  table.codes.assign(levels.size(), std::vector<std::uint32_t>(rows));
  table.targets.assign(rows, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (auto& column : table.reals) {
      const auto any = static_cast<std::int16_t>(static_cast<int>(below(65535)) - 32767);
      const std::int16_t extremes[] = {any, any, any, 32767, -32767, 0};
      column[row] = extremes[below(6)];
    }
    for (std::size_t c = 0; c < levels.size(); ++c) {
      table.codes[c][row] = static_cast<std::uint32_t>(below(std::uint64_t{levels[c]} + 1));
    }
    const auto real = static_cast<std::int32_t>(static_cast<std::int64_t>(below((1ull << 31) + 1)) - (1ll << 30));
    const std::int32_t ends[] = {real, real, real, 1 << 30, -(1 << 30), 0};
    table.targets[row] = binary_target ? (below(2) == 0 ? 1 : -1) : ends[below(6)];
  }
  return table;
}

}  // namespace dperm::tests
