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

// Columns of equal length: integers q of the reals, codes of the categories (code == levels: none), encoded targets.
struct EncodedTable {
  std::vector<std::vector<std::int16_t>> reals;
  std::vector<std::uint32_t> levels;
  std::vector<std::vector<std::uint32_t>> codes;
  std::vector<std::int32_t> targets;
  std::size_t classes = 0;  // of a target of kind class; 0: the schema calls the target real

  std::size_t rows() const { return targets.size(); }
  std::size_t columns() const { return 1 + reals.size() + levels.size(); }
  std::size_t dimension() const {
    std::size_t sum = 1 + reals.size();
    for (const std::uint32_t count : levels) sum += count;
    return sum;
  }
};

inline schema::Encoding encoding_for(const EncodedTable& table) {
  schema::Schema schema;
  for (std::size_t j = 0; j < table.reals.size(); ++j) {
    schema::Column column;
    column.name = std::to_string(j).append(" real");
    column.lower = -1;
    column.upper = 1;
    schema.columns.push_back(column);
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
