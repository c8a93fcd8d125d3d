// SPDX-License-Identifier: Apache-2.0
// The squared loss d^2, d = t - y. Note: dperm/loss/loss.md.
#ifndef DPERM_LOSS_LOSSES_SQUARED_HPP_
#define DPERM_LOSS_LOSSES_SQUARED_HPP_

#include "dperm/core/rounding.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::loss {

struct Squared {
  static constexpr LossInfo info{.kind = LossKind::squared,
                                 .name = "squared",
                                 .target = schema::TargetKind::real,
                                 .link = Link::number,
                                 .unit = LossUnit::squared_target,
                                 .error_name = "root_mean_square_error",
                                 .constant_name = "mean"};

  // [proof loss.squared]
  template <class Real>
  static Real value(const Loss&, Real score, Real target) {
    const Real residual = score - target;
    return residual * residual;
  }
  template <class Real>
  static Real slope(const Loss&, Real score, Real target) {
    return 2 * (score - target);
  }
  static LossConstants constants(const Loss&, double r) {
    const double largest = rounded_up((1 + r) * (1 + r));
    const double lipschitz = rounded_up(2 * (1 + r));
    return {.lipschitz = lipschitz,
            .smoothness = 2,
            .range = r < 1 ? rounded_up(4 * r) : largest,
            .largest_value = largest,
            .gradient_difference = 2 * lipschitz};
  }
  static double slope_rounding(const Loss&, double unit, double score_error) { return 2 * (score_error + unit); }
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
HWY_INLINE V lane_slope(Squared::Lane<hn::TFromD<D>>, D d, T scale, V score, V y) {
  return hn::Mul(hn::Sub(score, y), hn::Set(d, T{2} * scale));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V lane_value(Squared::Lane<double>, D, V score, V y) {
  const V residual = hn::Sub(score, y);
  return hn::Mul(residual, residual);
}

}  // namespace dperm::loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
