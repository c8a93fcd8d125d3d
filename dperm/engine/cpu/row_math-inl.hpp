// SPDX-License-Identifier: Apache-2.0
// exp2, log1p, slopes and values of the losses, one row a lane. Only correctly rounded operations in a fixed order (no
// fused multiply-add, no approximate reciprocal), so every vector width gives the same bits. Included per target.
#if defined(DPERM_ENGINE_ROW_MATH_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPERM_ENGINE_ROW_MATH_INL_HPP_
#undef DPERM_ENGINE_ROW_MATH_INL_HPP_
#else
#define DPERM_ENGINE_ROW_MATH_INL_HPP_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dperm/engine/cpu/pass.hpp"
#include "dperm/schema/encoding.hpp"

HWY_BEFORE_NAMESPACE();
namespace dperm::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using loss::LossKind;

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

// Truncation toward zero of numbers that fit the integer. Highway's ConvertTo also handles those that do not, which
// doubles the instructions of a real column's gradient.
template <class DI, class V>
HWY_INLINE hn::Vec<DI> truncated(DI di, V v) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (std::is_same_v<hn::TFromD<DI>, std::int32_t>) return hn::Vec<DI>{_mm512_cvttps_epi32(v.raw)};
#endif
  return hn::ConvertTo(di, v);
}

// The target as -1 or +1, or as a fraction of kTargetOne.
template <bool kClassification, class D>
HWY_INLINE hn::Vec<D> load_target(D d, const SlopeRule<hn::TFromD<D>>& rule, const std::int32_t* p) {
  using T = hn::TFromD<D>;
  hn::Vec<D> y;
  if constexpr (std::is_same_v<T, float>) {
    y = hn::ConvertTo(d, hn::LoadU(hn::RebindToSigned<D>(), p));
  } else {
    y = hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::int32_t, D>(), p));
  }
  if constexpr (kClassification) {
    const auto positive =
        hn::And(hn::Ge(y, hn::Set(d, rule.first_positive)), hn::Le(y, hn::Set(d, rule.last_positive)));
    return hn::IfThenElse(positive, hn::Set(d, T{1}), hn::Set(d, T{-1}));
  } else {
    return hn::Mul(y, hn::Set(d, T{1} / T{schema::kTargetOne}));
  }
}

constexpr bool needs_sign(LossKind kind) {
  return kind == LossKind::logistic || kind == LossKind::hinge || kind == LossKind::smoothed_hinge;
}

// slope * rule.scale.
template <LossKind kKind, class D, class V = hn::Vec<D>>
HWY_INLINE V scaled_slope(D d, const SlopeRule<hn::TFromD<D>>& rule, V score, V y) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, T{1});
  const V scale = hn::Set(d, rule.scale);
  if constexpr (kKind == LossKind::logistic) {
    const V e = exp2(d, hn::Mul(hn::Mul(y, score), hn::Set(d, static_cast<T>(kLog2E))));
    return hn::Div(hn::Mul(y, hn::Neg(scale)), hn::Add(one, e));
  } else if constexpr (kKind == LossKind::smoothed_hinge) {
    const V e = exp2(d, hn::Mul(hn::Sub(hn::Mul(y, score), hn::Set(d, rule.margin)), hn::Set(d, rule.parameter)));
    return hn::Div(hn::Mul(y, hn::Neg(scale)), hn::Add(one, e));
  } else if constexpr (kKind == LossKind::hinge) {
    return hn::IfThenElseZero(hn::Lt(hn::Mul(y, score), one), hn::Mul(y, hn::Neg(scale)));
  } else if constexpr (kKind == LossKind::squared) {
    return hn::Mul(hn::Sub(score, y), hn::Set(d, T{2} * rule.scale));
  } else if constexpr (kKind == LossKind::absolute) {
    const V up = hn::IfThenElseZero(hn::Gt(score, y), scale);
    return hn::IfThenElse(hn::Lt(score, y), hn::Neg(scale), up);
  } else if constexpr (kKind == LossKind::pinball) {
    const V up = hn::IfThenElseZero(hn::Gt(score, y), hn::Set(d, (T{1} - rule.parameter) * rule.scale));
    return hn::IfThenElse(hn::Lt(score, y), hn::Set(d, -rule.parameter * rule.scale), up);
  } else {
    static_assert(kKind == LossKind::huber);
    const V limit = hn::Set(d, rule.parameter);
    return hn::Mul(hn::Min(hn::Max(hn::Sub(score, y), hn::Neg(limit)), limit), scale);
  }
}

// The loss itself; double only.
template <LossKind kKind, class D, class V = hn::Vec<D>>
HWY_INLINE V loss_value(D d, const SlopeRule<double>& rule, V score, V y) {
  const double parameter = rule.parameter;
  const V one = hn::Set(d, 1.0);
  const V zero = hn::Zero(d);
  if constexpr (kKind == LossKind::logistic) {
    return softplus(d, hn::Neg(hn::Mul(y, score)));
  } else if constexpr (kKind == LossKind::smoothed_hinge) {
    const V width = hn::Set(d, parameter);
    return hn::Mul(width, softplus(d, hn::Div(hn::Sub(hn::Set(d, rule.margin), hn::Mul(y, score)), width)));
  } else if constexpr (kKind == LossKind::hinge) {
    return hn::Max(hn::Sub(one, hn::Mul(y, score)), zero);
  } else if constexpr (kKind == LossKind::squared) {
    const V residual = hn::Sub(score, y);
    return hn::Mul(residual, residual);
  } else if constexpr (kKind == LossKind::absolute) {
    return hn::Abs(hn::Sub(score, y));
  } else if constexpr (kKind == LossKind::pinball) {
    const V residual = hn::Sub(y, score);
    return hn::Max(hn::Mul(residual, hn::Set(d, parameter)), hn::Mul(residual, hn::Set(d, parameter - 1.0)));
  } else {
    static_assert(kKind == LossKind::huber);
    const V size = hn::Abs(hn::Sub(score, y));
    const V inner = hn::Min(size, hn::Set(d, parameter));
    return hn::Mul(inner, hn::Sub(size, hn::Mul(inner, hn::Set(d, 0.5))));
  }
}

}  // namespace dperm::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
