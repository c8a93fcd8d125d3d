// SPDX-License-Identifier: Apache-2.0
// Curves and surfaces of number columns, one row per lane: their part of a score, of a row's norm and of a gradient. A
// curve is looked up by the piece a value lies in; sums go piece by piece under masks, which for the few pieces a curve
// has is faster than scattering: 8 pieces cost 0.35 ns a row on Zen 4. Included per target.
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

// An integer of a gradient, as Scratch has it.
template <class D>
using Part = typename Scratch<hn::TFromD<D>>::Part;

template <class D>
using Cells16 = hn::Rebind<std::uint16_t, D>;  // as many lanes as D

// [proof engine_sums.curves]
// What a column's values are placed by on its curve: piece and fraction are the upper and the lower half of a product.
template <class D>
struct CurveRule {
  hn::Vec<Cells16<D>> below, factor, part;
};

template <class D>
HWY_INLINE CurveRule<D> curve_rule(D, const schema::RealCode& code) {
  const Cells16<D> du;
  const auto factor = static_cast<std::uint16_t>(code.from_zero ? 2 * code.pieces : code.pieces);
  return {hn::Set(du, static_cast<std::uint16_t>(code.from_zero ? 0x8000 : 1)), hn::Set(du, factor),
          hn::Set(du, code.steps ? std::uint16_t{0} : factor)};
}

// Pieces, and how far into them values lie, in units of 1/32767.
template <class D>
struct CurveLanes {
  hn::Vec<Cells16<D>> piece;
  hn::Vec<D> fraction;
};

template <class D, class V>
HWY_INLINE hn::Vec<D> as_float(D d, V cells) {
  const auto integers = hn::PromoteTo(hn::Rebind<std::int32_t, D>(), cells);
  if constexpr (std::is_same_v<hn::TFromD<D>, float>) {
    return hn::ConvertTo(d, integers);
  } else {
    return hn::PromoteTo(d, integers);
  }
}

// What schema::curve_point says, lane by lane (sums.md).
template <class D>
HWY_INLINE CurveLanes<D> curve_lanes(D d, const CurveRule<D>& rule, const std::int16_t* q) {
  const Cells16<D> du;
  const auto raised = hn::Xor(hn::LoadU(du, reinterpret_cast<const std::uint16_t*>(q)), hn::Set(du, 0x8000));
  const auto within = hn::SaturatedSub(raised, rule.below);
  return {hn::MulHigh(within, rule.factor), as_float(d, hn::ShiftRight<1>(hn::Mul(within, rule.part)))};
}

// Truncation toward zero to the integers of a gradient.
template <class V>
HWY_INLINE auto whole_part(hn::Rebind<std::int32_t, Lanes<float>> dp, V value) {
  return truncated(dp, value);
}
template <class V>
HWY_INLINE auto whole_part(Lanes<double>, V value) {
  return hn::Trunc(value);
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
HWY_INLINE hn::Vec<Lanes<T>> curve_part(Lanes<T> d, const T* knots, std::size_t pieces, const CurveRule<Lanes<T>>& rule,
                                        const std::int16_t* q) {
  const auto at = curve_lanes(d, rule, q);
  const auto index = hn::PromoteTo(hn::Rebind<std::int32_t, Lanes<T>>(), at.piece);
  const auto rest = hn::Sub(hn::Set(d, static_cast<T>(schema::kRealOne)), at.fraction);
  return hn::Add(hn::Mul(look_up(d, knots, pieces, index), rest),
                 hn::Mul(look_up(d, knots + 1, pieces, index), at.fraction));
}

// Adds a curve to the scores of four vectors of rows.
template <class T, class V>
HWY_INLINE void score_curve(Lanes<T> d, const T* knots, const schema::RealCode& code, const std::int16_t* q, V& s0,
                            V& s1, V& s2, V& s3) {
  const auto rule = curve_rule(d, code);
  const std::size_t lanes = hn::Lanes(d);
  s0 = hn::Add(s0, curve_part<T>(d, knots, code.pieces, rule, q));
  s1 = hn::Add(s1, curve_part<T>(d, knots, code.pieces, rule, q + lanes));
  s2 = hn::Add(s2, curve_part<T>(d, knots, code.pieces, rule, q + 2 * lanes));
  s3 = hn::Add(s3, curve_part<T>(d, knots, code.pieces, rule, q + 3 * lanes));
}

// Sums under masks: `value` is added in the lanes whose piece is the wanted one. Where masks are bits, pieces are
// compared as 16-bit lanes, and one instruction adds.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
template <class D>
HWY_INLINE hn::Vec<Cells16<D>> pieces_to_compare(D, hn::Vec<Cells16<D>> piece) {
  return piece;
}
template <class D>
HWY_INLINE auto in_piece(D, hn::Vec<Cells16<D>> piece, std::uint32_t wanted) {
  return hn::Eq(piece, hn::Set(Cells16<D>(), static_cast<std::uint16_t>(wanted))).raw;
}
template <class V>
HWY_INLINE void add_where(__mmask16 here, V value, V& sum) {
  if constexpr (std::is_same_v<decltype(value.raw), __m512i>) {
    sum.raw = _mm512_mask_add_epi32(sum.raw, here, sum.raw, value.raw);
  } else {
    sum.raw = _mm512_mask_add_pd(sum.raw, static_cast<__mmask8>(here), sum.raw, value.raw);
  }
}
inline constexpr std::uint32_t kPiecesAtOnce = 8;  // two sums each: half of the registers
#else
template <class D>
HWY_INLINE hn::Vec<D> pieces_to_compare(D d, hn::Vec<Cells16<D>> piece) {
  return as_float(d, piece);
}
template <class D>
HWY_INLINE auto in_piece(D d, hn::Vec<D> piece, std::uint32_t wanted) {
  return hn::RebindMask(hn::Rebind<Part<D>, D>(), hn::Eq(piece, hn::Set(d, static_cast<hn::TFromD<D>>(wanted))));
}
template <class M, class V>
HWY_INLINE void add_where(M here, V value, V& sum) {
  sum = hn::Add(sum, hn::IfThenElseZero(here, value));
}
inline constexpr std::uint32_t kPiecesAtOnce = 4;
#endif

// What the rows add to both knots of every piece: trunc(slope * v / 32767) for the integer values v of the knots.
// kCount pieces from `first` on.
template <std::uint32_t kCount, class T>
void add_pieces(const Scratch<T>& scratch, const schema::RealCode& code, const std::int16_t* q, std::size_t rows,
                std::uint32_t first, std::int64_t* totals) {
  const Lanes<T> d;
  const hn::Rebind<Part<Lanes<T>>, Lanes<T>> dp;
  const auto rule = curve_rule(d, code);
  const auto one = hn::Set(d, static_cast<T>(schema::kRealOne));
  hn::Vec<decltype(dp)> below[kCount], above[kCount];
  HWY_UNROLL(8)
  for (std::uint32_t j = 0; j < kCount; ++j) below[j] = above[j] = hn::Zero(dp);
  for (std::size_t r = 0; r < rows; r += hn::Lanes(d)) {
    const auto at = curve_lanes(d, rule, q + r);
    const auto shrunk = hn::LoadU(d, scratch.shrunk + r);
    const auto low = whole_part(dp, hn::Mul(shrunk, hn::Sub(one, at.fraction)));
    const auto high = whole_part(dp, hn::Mul(shrunk, at.fraction));
    const auto piece = pieces_to_compare(d, at.piece);
    HWY_UNROLL(8)
    for (std::uint32_t j = 0; j < kCount; ++j) {
      const auto here = in_piece(d, piece, first + j);
      add_where(here, low, below[j]);
      add_where(here, high, above[j]);
    }
  }
  HWY_UNROLL(8)
  for (std::uint32_t j = 0; j < kCount; ++j) {
    totals[2 * (first + j)] += sum_lanes(dp, below[j]);
    totals[2 * (first + j) + 1] += sum_lanes(dp, above[j]);
  }
}

template <class T>
void add_curve(const Scratch<T>& scratch, const schema::RealCode& code, const std::int16_t* q, std::size_t rows,
               std::int64_t* totals) {
  std::uint32_t j = 0;
  for (; j + kPiecesAtOnce <= code.pieces; j += kPiecesAtOnce) {
    add_pieces<kPiecesAtOnce>(scratch, code, q, rows, j, totals);
  }
  for (; j + 2 <= code.pieces; j += 2) add_pieces<2>(scratch, code, q, rows, j, totals);
  if (j < code.pieces) add_pieces<1>(scratch, code, q, rows, j, totals);
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
               const std::int64_t slope = scratch.slope[r];
               std::int64_t* at = totals + cell;
               at[0] += slope * v[0] / schema::kRealOne;
               at[1] += slope * v[1] / schema::kRealOne;
               at[line] += slope * v[2] / schema::kRealOne;
               at[line + 1] += slope * v[3] / schema::kRealOne;
             });
    totals += std::size_t{pair.pieces + 1} * (pair.pieces + 1);
  }
}
// [/proof]

// [proof engine_clipped.norms]
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
      const auto high = hn::Mul(curve_lanes(d, curve_rule(d, code), q).fraction, unit);
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
