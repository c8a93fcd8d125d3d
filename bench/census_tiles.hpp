// SPDX-License-Identifier: Apache-2.0
// Encoded rows of census shape (6 numbers, 8 categories) and clocks, for the measurements of passes.
#pragma once

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "dperm/data/tiles/tile_writer.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::bench {

inline constexpr std::size_t kReals = 6;
inline constexpr std::uint32_t kLevels[] = {9, 16, 7, 15, 6, 5, 2, 42};
inline constexpr std::uint32_t kPieces = 8;

enum class Columns { census, numbers };
enum class Numbers { linear, curves };

inline schema::Encoding encoding_of(Columns columns, Numbers numbers) {
  schema::Schema schema;
  for (std::size_t j = 0; j < kReals; ++j) {
    schema::Column column;
    column.name = fmt::format("r{}", j);
    column.lower = -1;
    column.upper = 1;
    if (numbers == Numbers::curves) {
      column.shape = schema::ColumnShape::curve;
      column.pieces = kPieces;
    }
    schema.columns.push_back(column);
  }
  for (const std::uint32_t levels : columns == Columns::census ? std::span(kLevels) : std::span(kLevels, 0)) {
    schema::Column column;
    column.name = fmt::format("c{}", schema.columns.size());
    column.kind = schema::ColumnKind::category;
    column.missing = schema::MissingRule::none;
    for (std::uint32_t level = 0; level < levels; ++level) column.values.push_back(fmt::format("{}", level));
    schema.columns.push_back(column);
  }
  schema.target.kind = schema::TargetKind::real;
  schema.target.name = std::string("target");
  schema.target.lower = -1;
  schema.target.upper = 1;
  return schema::Encoding(schema);
}

inline data::TileSet random_tiles(std::size_t rows, Columns columns) {
  const data::TileLayout layout(encoding_of(columns, Numbers::linear));
  data::TileWriter writer(layout);
  writer.extend(rows);
  std::mt19937_64 random(1);
  for (std::size_t row = 0; row < rows; row += layout.height()) {
    const data::TileWriter::Piece piece = writer.piece(row);
    for (std::size_t i = 0; i < std::min(layout.height(), rows - row); ++i) {
      for (std::size_t j = 0; j < kReals; ++j) {
        const auto q = static_cast<std::int16_t>(static_cast<int>(random() % 65535) - 32767);
        std::memcpy(piece.tile + layout.real_offset(j) + 2 * i, &q, 2);
      }
      for (std::size_t c = 0; c < layout.category_count(); ++c) {
        piece.tile[layout.category_offset(c) + i] = static_cast<std::byte>(random() % kLevels[c]);
      }
      const std::int32_t y = random() % 2 == 0 ? 1 : -1;
      std::memcpy(piece.tile + layout.target_offset() + 4 * i, &y, 4);
    }
  }
  return writer.finish();
}

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace dperm::bench
