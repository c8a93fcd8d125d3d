// SPDX-License-Identifier: Apache-2.0
// Targets as floating-point numbers and truncation to integers, one row per lane. Included per target.
#if defined(DPERM_ENGINE_ROW_MATH_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPERM_ENGINE_ROW_MATH_INL_HPP_
#undef DPERM_ENGINE_ROW_MATH_INL_HPP_
#else
#define DPERM_ENGINE_ROW_MATH_INL_HPP_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "dperm/engine/cpu/pass.hpp"
#include "dperm/schema/encoding.hpp"

HWY_BEFORE_NAMESPACE();
namespace dperm::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

}  // namespace dperm::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
