// SPDX-License-Identifier: Apache-2.0
// Second moments of the encoded rows as exact integers: dot products of real columns, histograms of a real column by
// category, joint counts of two category columns.
#include <cstdint>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/engine/sums.hpp"
#include "dperm/engine/tile_loop.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine {
namespace {

constexpr std::int64_t kOne = schema::kRealOne;
constexpr int kTargetBits = 30;
static_assert(schema::kTargetOne == 1 << kTargetBits);

// [proof engine_sums.gram]
// trunc(32767 v Y / 2^30): |v| < 2^15, |Y| <= 2^30, so the product fits 60 bits; C++ division truncates toward zero.
std::int64_t target_product(std::int64_t v, std::int64_t target) { return kOne * v * target / schema::kTargetOne; }

// floor(32767^2 Y^2 / 2^60), Y >= 0, by splitting A = 32767 Y = a 2^15 + b: A^2 / 2^60 = (a^2 + (2^16 a b + b^2) /
// 2^30) / 2^30, and nested floors are the floor.
std::int64_t target_square(std::int64_t target) {
  const std::int64_t product = kOne * (target < 0 ? -target : target);
  const std::int64_t a = product >> 15;
  const std::int64_t b = product & 0x7fff;
  return (a * a + ((((a * b) << 16) + b * b) >> 30)) >> 30;
}
// [/proof]

// One thread's sums over its tiles. Categories are kept as row indices into the weights for the tile at hand.
class GramPass {
 public:
  explicit GramPass(const data::TileLayout& layout)
      : layout_(&layout),
        sums_{.upper_triangle = std::vector<std::int64_t>(layout.dimension() * (layout.dimension() + 1) / 2, 0),
              .target_products = std::vector<std::int64_t>(layout.dimension(), 0)},
        positions_(layout.category_count(), std::vector<std::uint32_t>(layout.height())) {}

  void add(const data::TileView& tile) {
    for (std::size_t c = 0; c < layout_->category_count(); ++c) locate(tile, c);
    entry(0, 0) += kOne * kOne * static_cast<std::int64_t>(tile.rows);
    for (std::size_t j = 0; j < layout_->real_count(); ++j) add_real(tile, j);
    for (std::size_t c = 0; c < layout_->category_count(); ++c) add_category(tile, c);
    add_targets(tile);
  }

  const GramSums& sums() const { return sums_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::int64_t& entry(std::size_t a, std::size_t b) {
    if (a > b) std::swap(a, b);
    return sums_.upper_triangle[a * layout_->dimension() - a * (a + 1) / 2 + b];
  }

  template <class Code>
  void locate_codes(const data::TileView& tile, std::size_t c) {
    const auto* codes = reinterpret_cast<const Code*>(tile.category(*layout_, c));
    const auto first = static_cast<std::uint32_t>(layout_->category_first_weight(c));
    for (std::size_t r = 0; r < tile.rows; ++r) {
      positions_[c][r] = codes[r] < layout_->category_levels(c) ? first + codes[r] : kNone;
    }
  }

  void locate(const data::TileView& tile, std::size_t c) {
    switch (layout_->category_width(c)) {
      case 1:
        return locate_codes<std::uint8_t>(tile, c);
      case 2:
        return locate_codes<std::uint16_t>(tile, c);
      default:
        return locate_codes<std::uint32_t>(tile, c);
    }
  }

  void add_real(const data::TileView& tile, std::size_t j) {
    const std::int16_t* q = tile.real(*layout_, j);
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < tile.rows; ++r) sum += q[r];
    entry(0, layout_->real_weight(j)) += kOne * sum;
    for (std::size_t i = 0; i <= j; ++i) {
      const std::int16_t* other = tile.real(*layout_, i);
      std::int64_t dot = 0;
      for (std::size_t r = 0; r < tile.rows; ++r) dot += std::int32_t{q[r]} * std::int32_t{other[r]};
      entry(layout_->real_weight(i), layout_->real_weight(j)) += dot;
    }
  }

  void add_category(const data::TileView& tile, std::size_t c) {
    const std::vector<std::uint32_t>& here = positions_[c];
    for (std::size_t r = 0; r < tile.rows; ++r) {
      if (here[r] == kNone) continue;
      entry(0, here[r]) += kOne * kOne;
      entry(here[r], here[r]) += kOne * kOne;
      for (std::size_t j = 0; j < layout_->real_count(); ++j) {
        entry(layout_->real_weight(j), here[r]) += kOne * tile.real(*layout_, j)[r];
      }
      for (std::size_t before = 0; before < c; ++before) {
        if (positions_[before][r] != kNone) entry(positions_[before][r], here[r]) += kOne * kOne;
      }
    }
  }

  void add_targets(const data::TileView& tile) {
    const std::int32_t* y = tile.target(*layout_);
    std::vector<std::int64_t>& products = sums_.target_products;
    for (std::size_t r = 0; r < tile.rows; ++r) {
      const std::int64_t whole = target_product(kOne, y[r]);
      products[0] += whole;
      for (std::size_t j = 0; j < layout_->real_count(); ++j) {
        products[layout_->real_weight(j)] += target_product(tile.real(*layout_, j)[r], y[r]);
      }
      for (std::size_t c = 0; c < layout_->category_count(); ++c) {
        if (positions_[c][r] != kNone) products[positions_[c][r]] += whole;
      }
      sums_.target_square += target_square(y[r]);
    }
  }

  const data::TileLayout* layout_;
  GramSums sums_;
  std::vector<std::vector<std::uint32_t>> positions_;  // weight index of each row's category
};

}  // namespace

GramSums gram_sums(const data::TileSet& tiles, Threads threads) {
  const data::TileLayout& layout = tiles.layout();
  require(tiles.rows() <= std::size_t{1} << 32, "too many rows: their second moments would not fit 62 bits");
  require(layout.dimension() <= kMaximumGramDimension, "too many weights for a matrix of second moments");
  GramSums out = GramPass(layout).sums();
  for_each_tile(
      tiles, threads, [&] { return GramPass(layout); },
      [](GramPass& pass, std::size_t, const data::TileView& tile, const std::byte*) { pass.add(tile); },
      [&](const GramPass& pass) {
        const GramSums& part = pass.sums();
        for (std::size_t i = 0; i < part.upper_triangle.size(); ++i) out.upper_triangle[i] += part.upper_triangle[i];
        for (std::size_t i = 0; i < part.target_products.size(); ++i) out.target_products[i] += part.target_products[i];
        out.target_square += part.target_square;
      });
  return out;
}

}  // namespace dperm::engine
