// SPDX-License-Identifier: Apache-2.0
// The hinge loss (1 - z)_+, z = y t. Note: dperm/loss/loss.md.
#ifndef DPERM_LOSS_LOSSES_HINGE_HPP_
#define DPERM_LOSS_LOSSES_HINGE_HPP_

#include <cmath>
#include <limits>

#include "dperm/core/rounding.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::loss {

struct Hinge {
  static constexpr LossInfo info{.kind = LossKind::hinge,
                                 .name = "hinge",
                                 .target = schema::TargetKind::binary,
                                 .link = Link::margin,
                                 .unit = LossUnit::score};

  // [proof loss.hinge]
  template <class Real>
  static Real value(const Loss&, Real score, Real target) {
    return std::fmax(1 - target * score, Real{0});
  }
  template <class Real>
  static Real slope(const Loss&, Real score, Real target) {
    return target * score < 1 ? -target : 0;
  }
  static LossConstants constants(const Loss&, double r) {
    return {.lipschitz = 1,
            .smoothness = std::numeric_limits<double>::infinity(),
            .range = rounded_up(std::fmin(2 * r, 1 + r)),
            .largest_value = rounded_up(1 + r),
            .gradient_difference = 2};
  }
  static double slope_rounding(const Loss&, double unit, double) { return 1 + 2 * unit; }
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
HWY_INLINE V lane_slope(Hinge::Lane<hn::TFromD<D>>, D d, T scale, V score, V y) {
  return hn::IfThenElseZero(hn::Lt(hn::Mul(y, score), hn::Set(d, T{1})), hn::Mul(y, hn::Set(d, -scale)));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V lane_value(Hinge::Lane<double>, D d, V score, V y) {
  return hn::Max(hn::Sub(hn::Set(d, 1.0), hn::Mul(y, score)), hn::Zero(d));
}

}  // namespace dperm::loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
