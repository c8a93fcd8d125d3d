// SPDX-License-Identifier: Apache-2.0
// Proof note: dperm/engine/network/clipped_sum.md.
#include "dperm/data/rows/row_table.hpp"

#include <algorithm>
#include <cstring>

#include "dperm/data/tiles/knots.hpp"
#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::network {
namespace {

constexpr std::size_t kReals = sizeof(std::int32_t);  // the target comes first

// Copies a column of cells into rows of `stride` bytes.
template <std::size_t kWidth>
void scatter(const std::byte* cells, std::size_t count, std::size_t stride, std::byte* out) {
  for (std::size_t r = 0; r < count; ++r) std::memcpy(out + r * stride, cells + r * kWidth, kWidth);
}

void scatter(std::size_t width, const std::byte* cells, std::size_t count, std::size_t stride, std::byte* out) {
  if (width == 1) return scatter<1>(cells, count, stride, out);
  if (width == 2) return scatter<2>(cells, count, stride, out);
  scatter<4>(cells, count, stride, out);
}

}  // namespace

RowFormat::RowFormat(const data::TileLayout& layout) : layout_(layout), inputs_(layout.dimension()) {
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    if (layout.real_weight(j) == schema::kNoWeight) continue;
    if (!runs_.empty() && runs_.back().first_real + runs_.back().count == j &&
        runs_.back().first_input + runs_.back().count == layout.real_weight(j)) {
      ++runs_.back().count;
    } else {
      runs_.push_back({j, layout.real_weight(j), 1});
    }
  }
  bytes_ = kReals + sizeof(std::int16_t) * layout.real_count();
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    const auto width = static_cast<std::size_t>(layout.category_width(c));
    codes_.push_back({bytes_, width, layout.category_first_weight(c), layout.category_levels(c)});
    bytes_ += width;
  }
}

void RowFormat::collect(const data::TileView& tile, std::size_t first, std::size_t count, std::byte* out) const {
  const auto column = [&](std::size_t width, std::size_t offset, std::size_t byte) {
    scatter(width, tile.base + offset + first * width, count, bytes_, out + byte);
  };
  // A few rows at a time: their bytes stay in the first-level cache while the columns pass by.
  constexpr std::size_t kRows = 16;
  if (count > kRows) {
    for (std::size_t r = 0; r < count; r += kRows) {
      collect(tile, first + r, std::min(kRows, count - r), out + r * bytes_);
    }
    return;
  }
  column(sizeof(std::int32_t), layout_.target_offset(), 0);
  for (std::size_t j = 0; j < layout_.real_count(); ++j) {
    column(sizeof(std::int16_t), layout_.real_offset(j), kReals + sizeof(std::int16_t) * j);
  }
  for (std::size_t c = 0; c < codes_.size(); ++c) column(codes_[c].width, layout_.category_offset(c), codes_[c].byte);
}

// [proof network_clipped_sum.features]
void RowFormat::expand(const std::byte* row, float* features) const {
  const auto cell = [&](std::size_t j) {
    std::int16_t q;
    std::memcpy(&q, row + kReals + sizeof q * j, sizeof q);
    return q;
  };
  std::fill_n(features, inputs_, 0.0f);
  features[0] = 1;
  for (const Run& run : runs_) {
    float* out = features + run.first_input;
    for (std::size_t j = 0; j < run.count; ++j) {
      out[j] = static_cast<float>(cell(run.first_real + j)) * (1.0f / schema::kRealOne);
    }
  }
  data::for_each_knot(layout_, cell, [&](std::size_t input, std::int32_t value) {
    features[input] = static_cast<float>(value) * (1.0f / schema::kRealOne);
  });
  for (const Code& code : codes_) {
    std::uint32_t level = 0;
    std::memcpy(&level, row + code.byte, code.width);  // little-endian, as the tiles are
    if (level < code.levels) features[code.first_input + level] = 1;
  }
}

std::int32_t RowFormat::target(const std::byte* row) const {
  std::int32_t target;
  std::memcpy(&target, row, sizeof target);
  return target;
}
// [/proof]

RowTable::RowTable(const data::TileSet& tiles, Threads threads)
    : format_(tiles.layout()), rows_(tiles.rows()), data_(rows_ * format_.bytes()) {
  data::for_each_tile(
      tiles, threads, [] { return 0; },
      [&](int&, std::size_t index, const data::TileView& tile, const std::byte*) {
        format_.collect(tile, 0, tile.rows, data_.data() + index * tiles.layout().height() * format_.bytes());
      },
      [](int) {});
}

}  // namespace dperm::network
