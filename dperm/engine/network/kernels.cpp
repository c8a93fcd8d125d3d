// SPDX-License-Identifier: Apache-2.0
// The vector code, compiled once per instruction set and chosen at run time.
#include "dperm/engine/network/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dperm/engine/network/kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target first: it includes this file again for every target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dperm::network::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, kPanel>;
using I = hn::CappedTag<std::int32_t, kPanel>;
#if HWY_TARGET == HWY_SCALAR
using Wide = hn::CappedTag<std::int64_t, 1>;
#else
using Half = hn::Repartition<std::int16_t, I>;
using Wide = hn::Repartition<std::int64_t, I>;
#endif
constexpr std::size_t kLanes = hn::MaxLanes(F());
constexpr std::size_t kVectors = kPanel / kLanes;                      // vectors a panel
constexpr std::size_t kBlockRows = kVectors > 12 ? 1 : 12 / kVectors;  // twelve sums in registers
constexpr std::size_t kBlockInputs = kVectors > 8 ? 1 : 8 / kVectors;  // eight sums in registers

// [proof network_clipped_sum.locality]
// A block of rows times a panel. Each sum is a lane of its own that adds the terms k = 0, 1, ... one by one.
HWY_INLINE void multiply_block(const float* HWY_RESTRICT rows, std::size_t stride, std::size_t inner,
                               const float* HWY_RESTRICT panel, float* HWY_RESTRICT out, std::size_t out_stride) {
  const F d;
  hn::Vec<F> sum[kBlockRows][kVectors];
  for (auto& row : sum) {
    for (auto& v : row) v = hn::Zero(d);
  }
  for (std::size_t k = 0; k < inner; ++k) {
    hn::Vec<F> w[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) w[v] = hn::Load(d, panel + k * kPanel + v * kLanes);
    for (std::size_t r = 0; r < kBlockRows; ++r) {
      const auto a = hn::Set(d, rows[r * stride + k]);
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Add(sum[r][v], hn::Mul(a, w[v]));
    }
  }
  for (std::size_t r = 0; r < kBlockRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) hn::Store(sum[r][v], d, out + r * out_stride + v * kLanes);
  }
}

void multiply_all(FloatRows rows, std::size_t inner, const float* panels, std::size_t out_columns, float* out) {
  for (std::size_t o = 0; o < out_columns; o += kPanel) {
    for (std::size_t r = 0; r < rows.row_count; r += kBlockRows) {
      multiply_block(rows.data + r * rows.stride, rows.stride, inner, panels + o * inner, out + r * out_columns + o,
                     out_columns);
    }
  }
}

void square_norms_all(FloatRows rows, std::size_t columns, double* out) {
  const F d;
  constexpr std::size_t kPart = 1024;  // columns added in float, so that wide rows lose no accuracy
  for (std::size_t r = 0; r < rows.row_count; ++r) {
    const float* row = rows.data + r * rows.stride;
    double total = 0;
    for (std::size_t first = 0; first < columns; first += kPart) {
      hn::Vec<F> sum[kVectors];  // sixteen lanes on every instruction set
      for (auto& s : sum) s = hn::Zero(d);
      for (std::size_t k = first; k < columns && k < first + kPart; k += kPanel) {
        for (std::size_t v = 0; v < kVectors; ++v) {
          const auto x = hn::Load(d, row + k + v * kLanes);
          sum[v] = hn::Add(sum[v], hn::Mul(x, x));
        }
      }
      HWY_ALIGN float lanes[kPanel];
      for (std::size_t v = 0; v < kVectors; ++v) hn::Store(sum[v], d, lanes + v * kLanes);
      for (const float lane : lanes) total += static_cast<double>(lane);
    }
    out[r] = total;
  }
}
// [/proof]

// [proof network_clipped_sum.integers]
HWY_INLINE hn::Vec<I> rounded(hn::Vec<F> x) {
  const I d;
  return hn::Min(hn::Max(hn::NearestInt(x), hn::Set(d, -32767)), hn::Set(d, 32767));
}

// Adds the sum of the lanes' 64-bit values, in some order, to those of `sum`.
HWY_INLINE hn::Vec<Wide> add_halves(hn::Vec<Wide> sum, hn::Vec<I> x) {
  const Wide d;
#if HWY_TARGET == HWY_SCALAR
  return hn::Add(sum, hn::PromoteTo(d, x));
#else
  const hn::Half<I> half;
  return hn::Add(hn::Add(sum, hn::PromoteTo(d, hn::LowerHalf(half, x))), hn::PromoteTo(d, hn::UpperHalf(half, x)));
#endif
}

void quantise_all(FloatRows rows, const float* scale, PairWords out, std::int64_t* squares) {
  const F df;
  const I di;
  const Wide dw;
  for (std::size_t p = 0; 2 * p < rows.row_count; ++p) {
    const float* low_row = rows.data + 2 * p * rows.stride;
    const auto low_scale = hn::Set(df, scale[2 * p]);
    const auto high_scale = hn::Set(df, scale[2 * p + 1]);
    auto low_sum = hn::Zero(dw);
    auto high_sum = hn::Zero(dw);
    for (std::size_t i = 0; i < out.columns; i += kLanes) {
      const auto low = rounded(hn::Mul(hn::Load(df, low_row + i), low_scale));
      const auto high = rounded(hn::Mul(hn::Load(df, low_row + rows.stride + i), high_scale));
      low_sum = add_halves(low_sum, hn::Mul(low, low));  // at most 2^30 each
      high_sum = add_halves(high_sum, hn::Mul(high, high));
      const auto word = hn::Or(hn::And(low, hn::Set(di, 0xFFFF)), hn::ShiftLeft<16>(high));
      hn::Store(word, di, out.words + (i / kPanel * kChunkPairs + p) * kPanel + i % kPanel);
    }
    squares[2 * p] = hn::GetLane(hn::SumOfLanes(dw, low_sum));
    squares[2 * p + 1] = hn::GetLane(hn::SumOfLanes(dw, high_sum));
  }
}

HWY_INLINE void add_to(std::int64_t* total, hn::Vec<I> sum) {
  const Wide d;
#if HWY_TARGET == HWY_SCALAR
  hn::Store(hn::Add(hn::Load(d, total), hn::PromoteTo(d, sum)), d, total);
#else
  const hn::Half<I> half;
  hn::Store(hn::Add(hn::Load(d, total), hn::PromoteTo(d, hn::LowerHalf(half, sum))), d, total);
  total += hn::Lanes(d);
  hn::Store(hn::Add(hn::Load(d, total), hn::PromoteTo(d, hn::UpperHalf(half, sum))), d, total);
#endif
}

// Sums of the products of two words' low halves and of their high halves. `rest` stays zero on processors that add both
// at once.
struct PairSum {
  hn::Vec<I> sum, rest;

  HWY_INLINE void add(hn::Vec<I> a, hn::Vec<I> b) {
#if HWY_TARGET == HWY_SCALAR
    const auto low = [](hn::Vec<I> word) { return hn::ShiftRight<16>(hn::ShiftLeft<16>(word)); };
    sum = hn::Add(sum, hn::Add(hn::Mul(low(a), low(b)), hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b))));
#else
    const Half h;
    sum = hn::ReorderWidenMulAccumulate(I(), hn::BitCast(h, a), hn::BitCast(h, b), sum, rest);
#endif
  }
  HWY_INLINE hn::Vec<I> total() const {
#if HWY_TARGET == HWY_SCALAR
    return sum;
#else
    return hn::RearrangeToOddPlusEven(sum, rest);
#endif
  }
};

// A few inputs times a panel of outputs, over all pairs of rows: 16-bit products in 32-bit sums.
HWY_INLINE void add_block(const std::int32_t* HWY_RESTRICT left, const std::int32_t* HWY_RESTRICT right,
                          std::size_t pairs, std::int64_t* HWY_RESTRICT totals, std::size_t stride) {
  const I d;
  PairSum sum[kBlockInputs][kVectors];
  for (auto& row : sum) {
    for (PairSum& s : row) s.sum = s.rest = hn::Zero(d);
  }
  for (std::size_t p = 0; p < pairs; ++p) {
    hn::Vec<I> b[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) b[v] = hn::Load(d, right + p * kPanel + v * kLanes);
    for (std::size_t i = 0; i < kBlockInputs; ++i) {
      const auto a = hn::Set(d, left[p * kPanel + i]);
      for (std::size_t v = 0; v < kVectors; ++v) sum[i][v].add(a, b[v]);
    }
  }
  for (std::size_t i = 0; i < kBlockInputs; ++i) {
    for (std::size_t v = 0; v < kVectors; ++v) add_to(totals + i * stride + v * kLanes, sum[i][v].total());
  }
}

void add_products_all(PairWords left, PairWords right, std::size_t pairs, std::int64_t* totals) {
  for (std::size_t i = 0; i < left.columns; i += kPanel) {
    for (std::size_t o = 0; o < right.columns; o += kPanel) {
      for (std::size_t b = 0; b < kPanel; b += kBlockInputs) {
        add_block(left.words + i * kChunkPairs + b, right.words + o * kChunkPairs, pairs,
                  totals + (i + b) * right.columns + o, right.columns);
      }
    }
  }
}
// [/proof]

}  // namespace dperm::network::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dperm::network {

HWY_EXPORT(multiply_all);
HWY_EXPORT(square_norms_all);
HWY_EXPORT(quantise_all);
HWY_EXPORT(add_products_all);

void multiply(FloatRows rows, std::size_t inner, const float* panels, std::size_t out_columns, float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_all)(rows, inner, panels, out_columns, out);
}
void square_norms(FloatRows rows, std::size_t columns, double* out) {
  HWY_DYNAMIC_DISPATCH(square_norms_all)(rows, columns, out);
}
void quantise(FloatRows rows, const float* scale, PairWords out, std::int64_t* squares) {
  HWY_DYNAMIC_DISPATCH(quantise_all)(rows, scale, out, squares);
}
void add_products(PairWords left, PairWords right, std::size_t pairs, std::int64_t* totals) {
  HWY_DYNAMIC_DISPATCH(add_products_all)(left, right, pairs, totals);
}

}  // namespace dperm::network
#endif
