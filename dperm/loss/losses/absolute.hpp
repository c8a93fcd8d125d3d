// SPDX-License-Identifier: Apache-2.0
// The absolute loss |d|, d = t - y. Note: dperm/loss/loss.md.
#ifndef DPERM_LOSS_LOSSES_ABSOLUTE_HPP_
#define DPERM_LOSS_LOSSES_ABSOLUTE_HPP_

#include <cmath>
#include <limits>

#include "dperm/core/rounding.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::loss {

struct Absolute {
  static constexpr LossInfo info{.kind = LossKind::absolute,
                                 .name = "absolute",
                                 .target = schema::TargetKind::real,
                                 .link = Link::number,
                                 .unit = LossUnit::target,
                                 .error_name = "mean_absolute_error",
                                 .constant_name = "median"};

  // [proof loss.absolute]
  template <class Real>
  static Real value(const Loss&, Real score, Real target) {
    return std::fabs(score - target);
  }
  template <class Real>
  static Real slope(const Loss&, Real score, Real target) {
    return score > target ? 1 : score < target ? -1 : 0;
  }
  static LossConstants constants(const Loss&, double r) {
    return {.lipschitz = 1,
            .smoothness = std::numeric_limits<double>::infinity(),
            .range = rounded_up(std::fmin(2 * r, 1 + r)),
            .largest_value = rounded_up(1 + r),
            .gradient_difference = 2};
  }
  static double slope_rounding(const Loss&, double, double) { return 2; }
  // [/proof]

  template <class T>
  struct Lane {
    explicit Lane(const Loss&) {}
  };
};

}  // namespace dperm::loss

#endif

#ifdef DPERM_LOSS_LANES
HWY_BEFORE_NAMESPACE();
namespace dperm::loss::HWY_NAMESPACE {

template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE V lane_slope(Absolute::Lane<hn::TFromD<D>>, D d, T scale, V score, V y) {
  const V up = hn::IfThenElseZero(hn::Gt(score, y), hn::Set(d, scale));
  return hn::IfThenElse(hn::Lt(score, y), hn::Set(d, -scale), up);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V lane_value(Absolute::Lane<double>, D, V score, V y) {
  return hn::Abs(hn::Sub(score, y));
}

}  // namespace dperm::loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
