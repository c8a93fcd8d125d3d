// SPDX-License-Identifier: Apache-2.0
// Curves and surfaces of number columns, one row per lane: their part of a score, of a row's norm and of a gradient. A
// curve is looked up by the piece a value lies in; sums go piece by piece under masks, which for the few pieces a curve
// has is faster than scattering. Included per target.
#if defined(DPERM_ENGINE_CURVE_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPERM_ENGINE_CURVE_INL_HPP_
#undef DPERM_ENGINE_CURVE_INL_HPP_
#else
#define DPERM_ENGINE_CURVE_INL_HPP_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "dperm/engine/cpu/category-inl.hpp"
#include "dperm/engine/cpu/pass.hpp"
#include "dperm/engine/cpu/row_math-inl.hpp"
#include "dperm/schema/encoding.hpp"

HWY_BEFORE_NAMESPACE();
namespace dperm::engine::HWY_NAMESPACE {

template <class T>
using Lanes = hn::CappedTag<T, 64 / sizeof(T)>;

// Pieces as 32-bit integers, one per lane of D, and how far into them values lie, in units of 1/32767.
template <class D>
struct CurveLanes {
  hn::Vec<hn::Rebind<std::int32_t, D>> piece;
  hn::Vec<D> fraction;
};

template <class D, class V>
HWY_INLINE hn::Vec<D> as_float(D d, V integers) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    return hn::ConvertTo(d, integers);
  } else {
    return hn::PromoteTo(d, integers);
  }
}

// What schema::curve_point says, lane by lane.
template <class D>
HWY_INLINE CurveLanes<D> curve_lanes(D d, const schema::RealCode& code, const std::int16_t* q) {
  const hn::Rebind<std::int32_t, D> di;
  const auto value = hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::int16_t, D>(), q));
  const auto place = code.from_zero ? hn::ShiftLeft<1>(value) : hn::Add(value, hn::Set(di, schema::kRealOne));
  const auto within = hn::Min(hn::Max(place, hn::Zero(di)), hn::Set(di, 2 * schema::kRealOne));
  const auto along = hn::ShiftRight<1>(hn::Mul(within, hn::Set(di, static_cast<std::int32_t>(code.pieces))));
  const auto fraction = hn::And(along, hn::Set(di, code.steps ? 0 : 0x7fff));
  return {hn::ShiftRight<15>(along), as_float(d, fraction)};
}

// table[index], index < size <= kCurveTable.
HWY_INLINE hn::Vec<Lanes<float>> look_up(Lanes<float> d, const float* table, std::size_t size,
                                         hn::Vec<hn::Rebind<std::int32_t, Lanes<float>>> index) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  using V = hn::Vec<Lanes<float>>;
  if (size <= 16) return V{_mm512_permutexvar_ps(index.raw, hn::LoadU(d, table).raw)};
  if (size <= 32) {
    return V{_mm512_permutex2var_ps(hn::LoadU(d, table).raw, index.raw, hn::LoadU(d, table + 16).raw)};
  }
#else
  (void)size;
#endif
  return hn::GatherIndex(d, table, index);
}
HWY_INLINE hn::Vec<Lanes<double>> look_up(Lanes<double> d, const double* table, std::size_t size,
                                          hn::Vec<hn::Rebind<std::int32_t, Lanes<double>>> index) {
  const auto wide = hn::PromoteTo(hn::Rebind<std::int64_t, Lanes<double>>(), index);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  using V = hn::Vec<Lanes<double>>;
  if (size <= 8) return V{_mm512_permutexvar_pd(wide.raw, hn::LoadU(d, table).raw)};
  if (size <= 16) {
    return V{_mm512_permutex2var_pd(hn::LoadU(d, table).raw, wide.raw, hn::LoadU(d, table + 8).raw)};
  }
#else
  (void)size;
#endif
  return hn::GatherIndex(d, table, wide);
}

// A curve's part of the scores of one vector of rows: both knots of the piece, each by its share.
template <class T>
HWY_INLINE hn::Vec<Lanes<T>> curve_part(Lanes<T> d, const PreparedWeights<T>& weights, std::size_t curve,
                                        const schema::RealCode& code, const std::int16_t* q) {
  const auto at = curve_lanes(d, code, q);
  const T* knots = weights.curves.data() + curve * kCurveTable;
  const auto rest = hn::Sub(hn::Set(d, static_cast<T>(schema::kRealOne)), at.fraction);
  return hn::Add(hn::Mul(look_up(d, knots, code.pieces, at.piece), rest),
                 hn::Mul(look_up(d, knots + 1, code.pieces, at.piece), at.fraction));
}

// [proof engine_sums.curves]
// What the rows add to both knots of every piece: trunc(slope * v / 32767) for the integer values v of the knots.
template <class T>
void add_curve(const Scratch<T>& scratch, const schema::RealCode& code, const std::int16_t* q, std::size_t rows,
               std::int64_t* totals) {
  const Lanes<T> d;
  using Part = typename Scratch<T>::Part;
  const hn::Rebind<Part, Lanes<T>> dp;
  const std::size_t lanes = hn::Lanes(d);
  alignas(64) T piece[kBlockRows];
  alignas(64) Part low[kBlockRows];
  alignas(64) Part high[kBlockRows];
  const auto one = hn::Set(d, static_cast<T>(schema::kRealOne));
  for (std::size_t r = 0; r < rows; r += lanes) {
    const auto at = curve_lanes(d, code, q + r);
    const auto shrunk = hn::LoadU(d, scratch.shrunk + r);
    hn::Store(as_float(d, at.piece), d, piece + r);
    if constexpr (std::is_same_v<T, float>) {
      hn::Store(truncated(dp, hn::Mul(shrunk, hn::Sub(one, at.fraction))), dp, low + r);
      hn::Store(truncated(dp, hn::Mul(shrunk, at.fraction)), dp, high + r);
    } else {
      hn::Store(hn::Trunc(hn::Mul(shrunk, hn::Sub(one, at.fraction))), dp, low + r);
      hn::Store(hn::Trunc(hn::Mul(shrunk, at.fraction)), dp, high + r);
    }
  }
  for (std::uint32_t j = 0; j < code.pieces; ++j) {
    auto below = hn::Zero(dp), above = hn::Zero(dp);
    const auto wanted = hn::Set(d, static_cast<T>(j));
    for (std::size_t r = 0; r < rows; r += lanes) {
      const auto here = hn::RebindMask(dp, hn::Eq(hn::Load(d, piece + r), wanted));
      below = hn::Add(below, hn::IfThenElseZero(here, hn::Load(dp, low + r)));
      above = hn::Add(above, hn::IfThenElseZero(here, hn::Load(dp, high + r)));
    }
    totals[2 * j] += sum_lanes(dp, below);
    totals[2 * j + 1] += sum_lanes(dp, above);
  }
}

// Calls visit(row, cell of the knot (a, b), knots in a line, values of the four knots).
template <class Visit>
HWY_INLINE void for_pair(const data::TileLayout& layout, const schema::PairCode& pair, const data::TileView& tile,
                         std::size_t first, std::size_t rows, Visit&& visit) {
  const std::int16_t* q = tile.real(layout, pair.first) + first;
  const std::int16_t* other = tile.real(layout, pair.second) + first;
  const bool from_zero = layout.real_code(pair.first).from_zero, other_zero = layout.real_code(pair.second).from_zero;
  const std::size_t line = pair.pieces + 1;
  for (std::size_t r = 0; r < rows; ++r) {
    const schema::CurvePoint a = schema::curve_point(q[r], pair.pieces, false, from_zero);
    const schema::CurvePoint b = schema::curve_point(other[r], pair.pieces, false, other_zero);
    visit(r, a.piece * line + b.piece, line, schema::pair_values(a.fraction, b.fraction));
  }
}

template <class T>
void score_pairs(const Pass<T>& pass, Scratch<T>& scratch, const data::TileView& tile, std::size_t first,
                 std::size_t rows) {
  std::fill_n(scratch.surface, rows, T{0});
  std::size_t first_cell = 0;
  for (const schema::PairCode& pair : pass.layout->pairs()) {
    const T* cells = pass.weights.surfaces.data() + first_cell;
    for_pair(*pass.layout, pair, tile, first, rows,
             [&](std::size_t r, std::size_t cell, std::size_t line, const std::array<std::int32_t, 4>& v) {
               const T* at = cells + cell;
               scratch.surface[r] += at[0] * static_cast<T>(v[0]) + at[1] * static_cast<T>(v[1]) +
                                     at[line] * static_cast<T>(v[2]) + at[line + 1] * static_cast<T>(v[3]);
             });
    first_cell += std::size_t{pair.pieces + 1} * (pair.pieces + 1);
  }
}

template <class T>
void add_pairs(const Pass<T>& pass, const Scratch<T>& scratch, const data::TileView& tile, std::size_t first,
               std::size_t rows, std::int64_t* totals) {
  for (const schema::PairCode& pair : pass.layout->pairs()) {
    for_pair(*pass.layout, pair, tile, first, rows,
             [&](std::size_t r, std::size_t cell, std::size_t line, const std::array<std::int32_t, 4>& v) {
               const T shrunk = scratch.shrunk[r];
               std::int64_t* at = totals + cell;
               at[0] += static_cast<std::int64_t>(shrunk * static_cast<T>(v[0]));
               at[1] += static_cast<std::int64_t>(shrunk * static_cast<T>(v[1]));
               at[line] += static_cast<std::int64_t>(shrunk * static_cast<T>(v[2]));
               at[line + 1] += static_cast<std::int64_t>(shrunk * static_cast<T>(v[3]));
             });
    totals += std::size_t{pair.pieces + 1} * (pair.pieces + 1);
  }
}
// [/proof]

// [proof engine_sums.norms]
// The squared norms of the rows' unscaled features, from above up to rounding: categories, steps and surfaces count as
// 1 whatever a row has there.
inline void norm_block(const data::TileLayout& layout, const data::TileView& tile, std::size_t first, std::size_t rows,
                       float* norms) {
  const Lanes<float> d;
  const hn::Rebind<std::int32_t, Lanes<float>> di;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t whole = 1 + layout.category_count() + layout.pairs().size();
  for (std::size_t j = 0; j < layout.real_count(); ++j) whole += layout.real_weight(j) == schema::kNoWeight ? 1u : 0u;
  const auto one = hn::Set(d, 1.0f), unit = hn::Set(d, 1.0f / schema::kRealOne);
  for (std::size_t r = 0; r < rows; r += lanes) {
    auto norm = hn::Set(d, static_cast<float>(whole));
    for (std::size_t j = 0; j < layout.real_count(); ++j) {
      const schema::RealCode& code = layout.real_code(j);
      if (code.weight == schema::kNoWeight) continue;
      const std::int16_t* q = tile.real(layout, j) + first + r;
      const auto u =
          hn::Mul(hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::int16_t, Lanes<float>>(), q))), unit);
      norm = hn::Add(norm, hn::Mul(u, u));
      if (code.pieces == 0) continue;
      const auto high = hn::Mul(curve_lanes(d, code, q).fraction, unit);
      const auto low = hn::Sub(one, high);
      norm = hn::Add(norm, hn::Add(hn::Mul(low, low), hn::Mul(high, high)));
    }
    hn::StoreU(norm, d, norms + r);
  }
}
// [/proof]

}  // namespace dperm::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
