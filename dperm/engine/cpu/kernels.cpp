// SPDX-License-Identifier: Apache-2.0
// The vector code of a pass, compiled once per instruction set and chosen at run time. SIMD runs across rows, so a
// row's integers do not depend on the vector width.
#include <algorithm>
#include <cstring>

#include "dperm/engine/cpu/pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dperm/engine/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target first: it includes this file again for every target.
#include <hwy/highway.h>

#include "dperm/engine/cpu/category-inl.hpp"
#include "dperm/engine/cpu/curve-inl.hpp"
#include "dperm/engine/cpu/row_math-inl.hpp"
#include "dperm/loss/losses/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace dperm::engine::HWY_NAMESPACE {

namespace lanes = loss::HWY_NAMESPACE;

template <class Loss>
inline constexpr bool kIsClassification = Loss::info.target == schema::TargetKind::binary;

// q as a floating-point number.
template <class D>
HWY_INLINE hn::Vec<D> load_real(D d, const std::int16_t* p) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    const hn::RebindToSigned<D> di;
    return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::int16_t, D>(), p)));
  } else {
    const hn::Rebind<std::int32_t, D> di;
    return hn::PromoteTo(d, hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::int16_t, D>(), p)));
  }
}

// Scores of rows [first, first + rows) of the tile into scratch.score; up to 63 padding rows more.
template <class T>
void score_block(const Pass<T>& pass, Scratch<T>& scratch, const data::TileView& tile, std::size_t first,
                 std::size_t rows, Ahead ahead) {
  const Lanes<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const data::TileLayout& layout = *pass.layout;
  const auto unit = hn::Set(d, pass.weights.unit);
  sum_categories(pass, scratch, tile, first, rows);
  const bool pairs = !layout.pairs().empty();
  if (pairs) score_pairs(pass, scratch, tile, first, rows);
  for (std::size_t r = 0; r < rows; r += 4 * lanes) {
    if (r % 64 == 0) prefetch_rows(layout, ahead.tile, ahead.row + r);
    auto s0 = hn::Set(d, pass.weights.intercept);
    auto s1 = s0, s2 = s0, s3 = s0;
    for (std::size_t j = 0; j < layout.real_count(); ++j) {
      const std::int16_t* q = tile.real(layout, j) + first + r;
      const auto w = hn::Set(d, pass.weights.reals[j]);
      s0 = hn::Add(s0, hn::Mul(w, load_real(d, q)));
      s1 = hn::Add(s1, hn::Mul(w, load_real(d, q + lanes)));
      s2 = hn::Add(s2, hn::Mul(w, load_real(d, q + 2 * lanes)));
      s3 = hn::Add(s3, hn::Mul(w, load_real(d, q + 3 * lanes)));
    }
    for (std::size_t c = 0; c < layout.curves().size(); ++c) {
      const std::int16_t* q = tile.real(layout, layout.curves()[c]) + first + r;
      const schema::RealCode& code = layout.real_code(layout.curves()[c]);
      score_curve<T>(d, pass.weights.curves.data() + c * kCurveTable, code, q, s0, s1, s2, s3);
    }
    if (pairs) {
      s0 = hn::Add(s0, hn::LoadU(d, scratch.surface + r));
      s1 = hn::Add(s1, hn::LoadU(d, scratch.surface + r + lanes));
      s2 = hn::Add(s2, hn::LoadU(d, scratch.surface + r + 2 * lanes));
      s3 = hn::Add(s3, hn::LoadU(d, scratch.surface + r + 3 * lanes));
    }
    const auto cell = scratch.category + r;
    const hn::Rebind<typename PreparedWeights<T>::Cell, Lanes<T>> dc;
    auto c0 = hn::LoadU(dc, cell);
    auto c1 = hn::LoadU(dc, cell + lanes);
    auto c2 = hn::LoadU(dc, cell + 2 * lanes);
    auto c3 = hn::LoadU(dc, cell + 3 * lanes);
    if constexpr (kByLanes<T>) add_lane_tables(pass, tile, first + r, c0, c1, c2, c3);
    s0 = hn::Add(s0, category_part(d, c0, unit));
    s1 = hn::Add(s1, category_part(d, c1, unit));
    s2 = hn::Add(s2, category_part(d, c2, unit));
    s3 = hn::Add(s3, category_part(d, c3, unit));
    hn::StoreU(s0, d, scratch.score + r);
    hn::StoreU(s1, d, scratch.score + r + lanes);
    hn::StoreU(s2, d, scratch.score + r + 2 * lanes);
    hn::StoreU(s3, d, scratch.score + r + 3 * lanes);
  }
}

// [proof engine_sums.row]
// Slightly less than 1/32767, such that two roundings up cannot reach |slope| |q| / 32767 (sums.md).
template <class T>
inline constexpr T kShrunkReal = std::is_same_v<T, float> ? 0x1p-15f * (1 + 0x1p-15f - 0x1p-21f)
                                                          : 0x1p-15 * (1 + 0x1p-15 + 0x1p-30 + 0x1p-45 - 0x1p-50);

// The bits of the rows [r, r + lanes).
template <class D>
HWY_INLINE hn::Mask<D> kept_lanes(D d, const std::uint64_t* keep, std::size_t r) {
  const std::uint64_t word = keep[r / 64] >> (r % 64);  // a vector's rows lie in one word
  const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8)};
  return hn::LoadMaskBits(d, bytes);
}

// The integer slopes of `rows` rows from their scores; padding rows up to a whole vector get 0. Returns their sum.
template <class Loss, class T>
std::int64_t slope_rows(const SlopeRule<T>& rule, Scratch<T>& scratch, const std::int32_t* targets, std::size_t rows,
                        const std::uint64_t* keep) {
  const Lanes<T> d;
  const hn::RebindToSigned<Lanes<T>> di;
  const std::size_t lanes = hn::Lanes(d);
  const typename Loss::template Lane<T> lane(rule.loss);
  const auto steps = hn::Set(d, rule.steps);
  const auto shrunk = hn::Set(d, kShrunkReal<T>);
  auto sum = hn::Zero(di);
  for (std::size_t r = 0; r < rows; r += lanes) {
    const auto y = load_target<kIsClassification<Loss>>(d, rule, targets + r);
    auto slope = lanes::lane_slope(lane, d, rule.scale, hn::LoadU(d, scratch.score + r), y);
    slope = hn::Min(hn::Max(slope, hn::Neg(steps)), steps);
    if (rule.longest > 0) {
      const auto limit = hn::Div(hn::Set(d, rule.longest), hn::Sqrt(hn::LoadU(d, scratch.norm + r)));
      slope = hn::Min(hn::Max(slope, hn::Neg(limit)), limit);
    }
    if (keep != nullptr) slope = hn::IfThenElseZero(kept_lanes(d, keep, r), slope);
    if (r + lanes > rows) slope = hn::IfThenElseZero(hn::FirstN(d, rows - r), slope);
    const auto integer = truncated(di, slope);
    hn::StoreU(integer, di, scratch.slope + r);
    hn::StoreU(hn::Mul(hn::ConvertTo(d, integer), shrunk), d, scratch.shrunk + r);
    sum = hn::Add(sum, integer);
  }
  return sum_lanes(di, sum);
}

// Sum over rows of trunc(slope * q / 32767).
inline std::int64_t real_gradient(const Scratch<float>& scratch, const std::int16_t* q, std::size_t rows) {
  const Lanes<float> d;
  const hn::RebindToSigned<Lanes<float>> di;
  const std::size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(di);
  auto other = hn::Zero(di);
  for (std::size_t r = 0; r < rows; r += 2 * lanes) {
    const auto v = hn::Mul(hn::LoadU(d, scratch.shrunk + r), load_real(d, q + r));
    const auto w = hn::Mul(hn::LoadU(d, scratch.shrunk + r + lanes), load_real(d, q + r + lanes));
    sum = hn::Add(sum, truncated(di, v));
    other = hn::Add(other, truncated(di, w));
  }
  return sum_lanes(di, hn::Add(sum, other));
}

inline std::int64_t real_gradient(const Scratch<double>& scratch, const std::int16_t* q, std::size_t rows) {
  const Lanes<double> d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  auto other = hn::Zero(d);
  for (std::size_t r = 0; r < rows; r += 2 * lanes) {
    const auto v = hn::Mul(hn::LoadU(d, scratch.shrunk + r), load_real(d, q + r));
    const auto w = hn::Mul(hn::LoadU(d, scratch.shrunk + r + lanes), load_real(d, q + r + lanes));
    sum = hn::Add(sum, hn::Trunc(v));
    other = hn::Add(other, hn::Trunc(w));
  }
  return sum_lanes(d, hn::Add(sum, other));
}
// [/proof]

template <class T>
std::int64_t slopes_of_block(const SlopeRule<T>& rule, Scratch<T>& scratch, const std::int32_t* y, std::size_t rows,
                             const std::uint64_t* keep) {
  return loss::visit_one_score(
      rule.loss.kind, [&](auto each) HWY_ATTR { return slope_rows<decltype(each)>(rule, scratch, y, rows, keep); });
}

template <class T>
void gradient_tile(const Pass<T>& pass, Scratch<T>& scratch, const data::TileView& tile, const std::byte* next,
                   Totals& totals, const std::uint64_t* keep) {
  const data::TileLayout& layout = *pass.layout;
  for (std::size_t first = 0; first < tile.rows; first += kBlockRows) {
    const std::size_t rows = std::min(kBlockRows, tile.rows - first);
    const std::size_t padded = (rows + 63) / 64 * 64;
    join_codes(pass, scratch, tile, first, padded);
    score_block(pass, scratch, tile, first, padded, rows_ahead(tile, next, first));
    std::fill(scratch.slope + rows, scratch.slope + padded, 0);
    std::fill(scratch.shrunk + rows, scratch.shrunk + padded, T{0});
    if constexpr (std::is_same_v<T, float>) {
      if (pass.rule.longest > 0) norm_block(layout, tile, first, padded, scratch.norm);
    }
    totals.intercept += slopes_of_block(pass.rule, scratch, tile.target(layout) + first, rows,
                                        keep == nullptr ? keep : keep + first / 64);
    for (std::size_t j = 0; j < layout.real_count(); ++j) {
      totals.reals[j] += real_gradient(scratch, tile.real(layout, j) + first, padded);
    }
    std::int64_t* curve = totals.curves.data();
    for (const std::size_t j : layout.curves()) {
      add_curve(scratch, layout.real_code(j), tile.real(layout, j) + first, padded, curve);
      curve += 2 * std::size_t{layout.real_code(j).pieces};
    }
    add_pairs(pass, scratch, tile, first, rows, totals.surfaces.data());
    add_to_cells(pass, scratch, tile, first, rows, totals);
  }
}

void gradient_tile_release(const Pass<float>& pass, Scratch<float>& scratch, const data::TileView& tile,
                           const std::byte* next, Totals& totals, const std::uint64_t* keep) {
  gradient_tile(pass, scratch, tile, next, totals, keep);
}

void gradient_tile_solver(const Pass<double>& pass, Scratch<double>& scratch, const data::TileView& tile,
                          const std::byte* next, Totals& totals) {
  gradient_tile<double>(pass, scratch, tile, next, totals, nullptr);
}

void score_tile(const Pass<double>& pass, Scratch<double>& scratch, const data::TileView& tile, const std::byte* next,
                double* out) {
  for (std::size_t first = 0; first < tile.rows; first += kBlockRows) {
    const std::size_t rows = std::min(kBlockRows, tile.rows - first);
    const std::size_t padded = (rows + 63) / 64 * 64;
    join_codes(pass, scratch, tile, first, padded);
    score_block(pass, scratch, tile, first, padded, rows_ahead(tile, next, first));
    std::copy_n(scratch.score, rows, out + first);
  }
}

template <class Loss>
std::int64_t loss_rows(const SlopeRule<double>& rule, const double* scores, const std::int32_t* targets,
                       std::size_t rows) {
  const Lanes<double> d;
  const std::size_t lanes = hn::Lanes(d);
  const typename Loss::template Lane<double> lane(rule.loss);
  std::int64_t total = 0;
  for (std::size_t first = 0; first < rows; first += kBlockRows) {
    auto sum = hn::Zero(d);
    for (std::size_t r = first; r < std::min(rows, first + kBlockRows); r += lanes) {
      const auto y = load_target<kIsClassification<Loss>>(d, rule, targets + r);
      auto value = hn::Mul(lanes::lane_value(lane, d, hn::LoadU(d, scores + r), y), hn::Set(d, rule.scale));
      value = hn::Min(value, hn::Set(d, rule.steps));
      if (r + lanes > rows) value = hn::IfThenElseZero(hn::FirstN(d, rows - r), value);
      sum = hn::Add(sum, hn::Trunc(value));
    }
    total += sum_lanes(d, sum);
  }
  return total;
}

std::int64_t loss_tile(const SlopeRule<double>& rule, const double* scores, const std::int32_t* targets,
                       std::size_t rows) {
  return loss::visit_one_score(
      rule.loss.kind, [&](auto each) HWY_ATTR { return loss_rows<decltype(each)>(rule, scores, targets, rows); });
}

}  // namespace dperm::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dperm::engine {

HWY_EXPORT(gradient_tile_release);
HWY_EXPORT(gradient_tile_solver);
HWY_EXPORT(score_tile);
HWY_EXPORT(loss_tile);

void add_gradient(const Pass<float>& pass, Scratch<float>& scratch, const data::TileView& tile, const std::byte* next,
                  Totals& totals, const std::uint64_t* keep) {
  HWY_DYNAMIC_DISPATCH(gradient_tile_release)(pass, scratch, tile, next, totals, keep);
}

void add_gradient(const Pass<double>& pass, Scratch<double>& scratch, const data::TileView& tile, const std::byte* next,
                  Totals& totals) {
  HWY_DYNAMIC_DISPATCH(gradient_tile_solver)(pass, scratch, tile, next, totals);
}

void write_scores(const Pass<double>& pass, Scratch<double>& scratch, const data::TileView& tile, const std::byte* next,
                  double* out) {
  HWY_DYNAMIC_DISPATCH(score_tile)(pass, scratch, tile, next, out);
}

std::int64_t sum_losses(const SlopeRule<double>& rule, const double* scores, const std::int32_t* targets,
                        std::size_t rows) {
  return HWY_DYNAMIC_DISPATCH(loss_tile)(rule, scores, targets, rows);
}

}  // namespace dperm::engine
#endif
