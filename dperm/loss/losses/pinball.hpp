// SPDX-License-Identifier: Apache-2.0
// The pinball loss q (-d)_+ + (1 - q) d_+, d = t - y, of level q (quantile). Note: dperm/loss/loss.md.
#ifndef DPERM_LOSS_LOSSES_PINBALL_HPP_
#define DPERM_LOSS_LOSSES_PINBALL_HPP_

#include <array>
#include <cmath>
#include <limits>

#include "dperm/core/rounding.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::loss {

struct Pinball {
  static constexpr std::array kParameters = {LossParameter{.name = "quantile",
                                                           .member = &Loss::quantile,
                                                           .lower = 0,
                                                           .upper = 1,
                                                           .bounds_allowed = false,
                                                           .help = "level between 0 and 1",
                                                           .is_asked_for = true}};
  static constexpr LossInfo info{.kind = LossKind::pinball,
                                 .name = "pinball",
                                 .target = schema::TargetKind::real,
                                 .link = Link::number,
                                 .unit = LossUnit::target,
                                 .parameters = kParameters,
                                 .error_name = "mean_pinball_loss",
                                 .constant_name = "quantile"};

  // [proof loss.pinball]
  template <class Real>
  static Real value(const Loss& loss, Real score, Real target) {
    const auto level = static_cast<Real>(loss.quantile);
    const Real residual = score - target;
    return residual <= 0 ? level * std::fabs(residual) : (1 - level) * std::fabs(residual);
  }
  template <class Real>
  static Real slope(const Loss& loss, Real score, Real target) {
    const auto level = static_cast<Real>(loss.quantile);
    return score > target ? 1 - level : score < target ? -level : 0;
  }
  static LossConstants constants(const Loss& loss, double r) {
    const double steepest = std::fmax(loss.quantile, 1 - loss.quantile);
    return {.lipschitz = steepest,
            .smoothness = std::numeric_limits<double>::infinity(),
            .range = rounded_up(steepest * std::fmin(2 * r, 1 + r)),
            .largest_value = rounded_up(steepest * (1 + r)),
            .gradient_difference = 2 * steepest};
  }
  static double slope_rounding(const Loss&, double unit, double) { return 1 + 2 * unit; }
  // [/proof]

  template <class T>
  struct Lane {
    T level;
    explicit Lane(const Loss& loss) : level(static_cast<T>(loss.quantile)) {}
  };
};

}  // namespace dperm::loss

#endif

#ifdef DPERM_LOSS_LANES
HWY_BEFORE_NAMESPACE();
namespace dperm::loss::HWY_NAMESPACE {

template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE V lane_slope(Pinball::Lane<hn::TFromD<D>> lane, D d, T scale, V score, V y) {
  const V up = hn::IfThenElseZero(hn::Gt(score, y), hn::Set(d, (T{1} - lane.level) * scale));
  return hn::IfThenElse(hn::Lt(score, y), hn::Set(d, -lane.level * scale), up);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V lane_value(Pinball::Lane<double> lane, D d, V score, V y) {
  const V residual = hn::Sub(y, score);
  return hn::Max(hn::Mul(residual, hn::Set(d, lane.level)), hn::Mul(residual, hn::Set(d, lane.level - 1.0)));
}

}  // namespace dperm::loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
