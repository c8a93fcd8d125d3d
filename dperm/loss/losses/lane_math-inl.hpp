// SPDX-License-Identifier: Apache-2.0
// exp2, log1p and ln(1 + e^v), one row per lane. Only correctly rounded operations in a fixed order (no fused
// multiply-add, no approximate reciprocal), so every vector width gives the same bits. Included per target.
#if defined(DPERM_LOSS_LANE_MATH_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPERM_LOSS_LANE_MATH_INL_HPP_
#undef DPERM_LOSS_LANE_MATH_INL_HPP_
#else
#define DPERM_LOSS_LANE_MATH_INL_HPP_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace dperm::loss::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Coefficients of 2^f for |f| <= 1/2 after the leading 1. Float: minimax, relative error below 1.7e-8. Double: Taylor,
// ln(2)^k / k!, remainder below 1e-17.
template <class T>
struct ExpTraits;
template <>
struct ExpTraits<float> {
  static constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  static constexpr float kLimit = 125.0f;       // results stay normal numbers
  static constexpr int kMantissa = 23;
  static constexpr std::array kTerms = {0x1.41fbbcp-13f, 0x1.5f3e54p-10f, 0x1.3b2d4cp-7f,
                                        0x1.c6aee8p-5f,  0x1.ebfbdcp-3f,  0x1.62e43p-1f};
};
template <>
struct ExpTraits<double> {
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kLimit = 1020.0;
  static constexpr int kMantissa = 52;
  static constexpr std::array kTerms = {1.3691488853904128e-12, 2.5678435993488206e-11, 4.4455382718708116e-10,
                                        7.054911620801123e-09,  1.01780860092397e-07,   1.321548679014431e-06,
                                        1.5252733804059841e-05, 0.0001540353039338161,  0.0013333558146428443,
                                        0.009618129107628477,   0.05550410866482158,    0.24022650695910072,
                                        0.6931471805599453};
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp2(D d, V x) {
  using T = hn::TFromD<D>;
  using Traits = ExpTraits<T>;
  const hn::RebindToSigned<D> di;
  x = hn::Min(hn::Max(x, hn::Set(d, -Traits::kLimit)), hn::Set(d, Traits::kLimit));
  const V rounded = hn::Add(x, hn::Set(d, Traits::kRound));
  const V f = hn::Sub(x, hn::Sub(rounded, hn::Set(d, Traits::kRound)));
  V p = hn::Set(d, Traits::kTerms[0]);
  for (std::size_t k = 1; k < Traits::kTerms.size(); ++k) {
    p = hn::Add(hn::Mul(p, f), hn::Set(d, Traits::kTerms[k]));
  }
  p = hn::Add(hn::Mul(p, f), hn::Set(d, T{1}));
  const auto exponent = hn::ShiftLeft<Traits::kMantissa>(hn::BitCast(di, rounded));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
}

// ln(1 + e) for e in [0, 1] as 2 artanh(e / (2 + e)); the argument is at most 1/3, and the terms from 9^-19 on vanish.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p_unit(D d, V e) {
  const V s = hn::Div(e, hn::Add(e, hn::Set(d, 2.0)));
  const V square = hn::Mul(s, s);
  V p = hn::Set(d, 2.0 / 37);
  for (int k = 35; k >= 1; k -= 2) p = hn::Add(hn::Mul(p, square), hn::Set(d, 2.0 / k));
  return hn::Mul(p, s);
}

inline constexpr double kLog2E = 1.4426950408889634;

// ln(1 + e^v).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus(D d, V v) {
  const V e = exp2(d, hn::Mul(hn::Abs(v), hn::Set(d, -kLog2E)));
  return hn::Add(hn::Max(v, hn::Zero(d)), log1p_unit(d, e));
}

}  // namespace dperm::loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
