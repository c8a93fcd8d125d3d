// SPDX-License-Identifier: Apache-2.0
// Second moments of the encoded rows as exact integers: dot products of real columns, histograms of a real column by
// category, joint counts of two category columns.
#include <cmath>
#include <cstdint>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/data/tiles/knots.hpp"
#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/engine/cpu/sums.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine {
namespace {

constexpr std::int64_t kOne = schema::kRealOne;
constexpr int kTargetBits = 30;
static_assert(schema::kTargetOne == 1 << kTargetBits);
constexpr std::int64_t kWhole = std::int64_t{1} << 30;  // factor of a row that is not shortened

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

// A factor of at most sqrt(limit / square) in units of 2^-30: the double is off by less than 2^-20 of a unit, one less
// is on the safe side. The intercept alone has kGramUnit <= limit, and at most 4096 columns make 2^24 the least.
std::int64_t factor_for(std::int64_t square, std::int64_t limit) {
  if (square <= limit) return kWhole;
  return static_cast<std::int64_t>(0x1p30 * std::sqrt(static_cast<double>(limit) / static_cast<double>(square))) - 1;
}

// |value| and factor are at most 2^30; truncated toward zero.
std::int64_t shortened(std::int64_t value, std::int64_t factor) { return value * factor / kWhole; }
// [/proof]

// One thread's sums over its tiles. For the tile at hand it keeps the shortened rows: a column per real, and the
// categories and knots as indices into the weights, each with a value (a category counts what the intercept does).
class GramPass {
 public:
  GramPass(const data::TileLayout& layout, std::int64_t row_limit)
      : layout_(&layout),
        row_limit_(row_limit),
        sums_{.upper_triangle = std::vector<std::int64_t>(layout.dimension() * (layout.dimension() + 1) / 2, 0),
              .target_products = std::vector<std::int64_t>(layout.dimension(), 0)},
        positions_(layout.category_count() + data::knots_per_row(layout), std::vector<std::uint32_t>(layout.height())),
        values_(positions_.size(), std::vector<std::int16_t>(layout.height())),
        reals_(layout.real_count(), std::vector<std::int16_t>(layout.height())),
        ones_(layout.height()),
        targets_(layout.height()) {}

  void add(const data::TileView& tile) {
    for (std::size_t c = 0; c < layout_->category_count(); ++c) locate(tile, c);
    locate_knots(tile);
    shorten(tile);
    entry(0, 0) += dot(ones_, ones_, tile.rows);
    for (std::size_t j = 0; j < layout_->real_count(); ++j) {
      if (is_linear(j)) add_real(tile.rows, j);
    }
    for (std::size_t c = 0; c < positions_.size(); ++c) add_sparse(tile.rows, c);
    add_targets(tile.rows);
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
      values_[c][r] = static_cast<std::int16_t>(kOne);
    }
  }

  void locate_knots(const data::TileView& tile) {
    if (positions_.size() == layout_->category_count()) return;
    for (std::size_t r = 0; r < tile.rows; ++r) {
      std::size_t c = layout_->category_count();
      data::for_each_knot(*layout_, tile, r, [&](std::size_t weight, std::int32_t value) {
        positions_[c][r] = static_cast<std::uint32_t>(weight);
        values_[c++][r] = static_cast<std::int16_t>(value);
      });
    }
  }

  bool is_linear(std::size_t j) const { return layout_->real_weight(j) != schema::kNoWeight; }

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

  std::int64_t square(const data::TileView& tile, std::size_t r) const {
    std::int64_t sum = kOne * kOne;
    for (std::size_t j = 0; j < layout_->real_count(); ++j) {
      const std::int64_t q = is_linear(j) ? tile.real(*layout_, j)[r] : 0;
      sum += q * q;
    }
    for (std::size_t c = 0; c < positions_.size(); ++c) {
      const std::int64_t value = values_[c][r];
      if (positions_[c][r] != kNone) sum += value * value;
    }
    return sum;
  }

  void shorten(const data::TileView& tile) {
    for (std::size_t r = 0; r < tile.rows; ++r) {
      const std::int64_t factor = row_limit_ == kWholeRows ? kWhole : factor_for(square(tile, r), row_limit_);
      ones_[r] = static_cast<std::int16_t>(shortened(kOne, factor));
      for (std::size_t j = 0; j < layout_->real_count(); ++j) {
        reals_[j][r] = static_cast<std::int16_t>(shortened(tile.real(*layout_, j)[r], factor));
      }
      for (std::vector<std::int16_t>& values : values_) {
        values[r] = static_cast<std::int16_t>(shortened(values[r], factor));
      }
      targets_[r] = static_cast<std::int32_t>(shortened(tile.target(*layout_)[r], factor));
    }
  }

  static std::int64_t dot(const std::vector<std::int16_t>& a, const std::vector<std::int16_t>& b, std::size_t rows) {
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < rows; ++r) sum += std::int32_t{a[r]} * std::int32_t{b[r]};
    return sum;
  }

  void add_real(std::size_t rows, std::size_t j) {
    entry(0, layout_->real_weight(j)) += dot(ones_, reals_[j], rows);
    for (std::size_t i = 0; i <= j; ++i) {
      if (is_linear(i)) entry(layout_->real_weight(i), layout_->real_weight(j)) += dot(reals_[i], reals_[j], rows);
    }
  }

  void add_sparse(std::size_t rows, std::size_t c) {
    const std::vector<std::uint32_t>& here = positions_[c];
    for (std::size_t r = 0; r < rows; ++r) {
      if (here[r] == kNone) continue;
      const std::int64_t value = values_[c][r];
      entry(0, here[r]) += value * ones_[r];
      entry(here[r], here[r]) += value * value;
      for (std::size_t j = 0; j < layout_->real_count(); ++j) {
        if (is_linear(j)) entry(layout_->real_weight(j), here[r]) += value * reals_[j][r];
      }
      for (std::size_t before = 0; before < c; ++before) {
        if (positions_[before][r] != kNone) entry(positions_[before][r], here[r]) += value * values_[before][r];
      }
    }
  }

  void add_targets(std::size_t rows) {
    std::vector<std::int64_t>& products = sums_.target_products;
    for (std::size_t r = 0; r < rows; ++r) {
      products[0] += target_product(ones_[r], targets_[r]);
      for (std::size_t j = 0; j < layout_->real_count(); ++j) {
        if (is_linear(j)) products[layout_->real_weight(j)] += target_product(reals_[j][r], targets_[r]);
      }
      for (std::size_t c = 0; c < positions_.size(); ++c) {
        if (positions_[c][r] != kNone) products[positions_[c][r]] += target_product(values_[c][r], targets_[r]);
      }
      sums_.target_square += target_square(targets_[r]);
    }
  }

  const data::TileLayout* layout_;
  std::int64_t row_limit_;
  GramSums sums_;
  std::vector<std::vector<std::uint32_t>> positions_;  // weight index of each row's categories, then of its knots
  std::vector<std::vector<std::int16_t>> values_;      // of those
  std::vector<std::vector<std::int16_t>> reals_;
  std::vector<std::int16_t> ones_;
  std::vector<std::int32_t> targets_;
};

}  // namespace

GramSums gram_sums(const data::TileSet& tiles, Threads threads, std::int64_t row_limit) {
  const data::TileLayout& layout = tiles.layout();
  require(row_limit >= kGramUnit, "rows cannot be shortened below the intercept");
  require(layout.dimension() <= kMaximumGramDimension, "too many weights for a matrix of second moments");
  GramSums out = GramPass(layout, row_limit).sums();
  for_each_tile(
      tiles, threads, [&] { return GramPass(layout, row_limit); },
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
