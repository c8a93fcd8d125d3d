// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/tiles/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dperm/core/check.hpp"
#include "dperm/data/tiles/storage.hpp"

namespace dperm::data {

namespace {

constexpr std::size_t kStep = 64;  // rows; keeps the narrowest column, one byte per row, on 64-byte boundaries
constexpr std::size_t kHalfCache = std::size_t{512} << 10;

int width_of(std::uint32_t levels) {
  // Codes run from 0 to levels, which means no category.
  return levels <= 0xff ? 1 : levels <= 0xffff ? 2 : 4;
}

}  // namespace

TileLayout::TileLayout(const schema::Encoding& encoding, std::size_t height)
    : height_(height),
      tile_bytes_(0),
      dimension_(encoding.dimension()),
      columns_(encoding.columns()),
      reals_(encoding.reals()),
      pairs_(encoding.pairs()) {
  std::size_t row_bytes = sizeof(std::int32_t) + encoding.reals().size() * sizeof(std::int16_t);
  for (const schema::CategoryCode& code : encoding.categories()) {
    row_bytes += static_cast<std::size_t>(width_of(code.levels));
  }
  if (height_ == 0) height_ = std::clamp(kHalfCache / row_bytes / kStep * kStep, kStep, kMaximumHeight);
  require(height_ % kStep == 0 && height_ >= kStep && height_ <= kMaximumHeight, "tile_height",
          fmt::format("must be a multiple of {} and at most {}; got {}", kStep, kMaximumHeight, height_));
  for (std::size_t j = 0; j < reals_.size(); ++j) {
    real_offsets_.push_back(tile_bytes_);
    if (reals_[j].pieces > 0) curves_.push_back(j);
    tile_bytes_ += height_ * sizeof(std::int16_t);
  }
  for (const schema::CategoryCode& code : encoding.categories()) {
    category_offsets_.push_back(tile_bytes_);
    category_first_weights_.push_back(code.first_weight);
    category_widths_.push_back(width_of(code.levels));
    category_levels_.push_back(code.levels);
    tile_bytes_ += height_ * static_cast<std::size_t>(category_widths_.back());
  }
  target_offset_ = tile_bytes_;
  tile_bytes_ += height_ * sizeof(std::int32_t);
}

double TileLayout::bytes_per_row() const { return static_cast<double>(tile_bytes_) / static_cast<double>(height_); }

TileSet::TileSet(TileLayout layout, std::size_t rows, std::shared_ptr<const Storage> storage)
    : layout_(std::move(layout)), rows_(rows), storage_(std::move(storage)) {
  ensure(storage_ != nullptr && storage_->tile_count() >= tile_count(), "TileSet: fewer tiles than rows need");
}

TileSet TileSet::read_as(const schema::Encoding& encoding) const {
  TileLayout layout(encoding, layout_.height());
  ensure(layout.tile_bytes() == layout_.tile_bytes() && layout.real_count() == layout_.real_count(),
         "the encoding is one of other columns");
  return TileSet(std::move(layout), rows_, storage_);
}

std::size_t TileSet::tile_count() const { return (rows_ + layout_.height() - 1) / layout_.height(); }

TileView TileSet::tile(std::size_t index) const {
  return {storage_->tile(index), std::min(layout_.height(), rows_ - index * layout_.height())};
}

}  // namespace dperm::data
