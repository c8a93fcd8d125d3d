// SPDX-License-Identifier: Apache-2.0
// The Huber loss, d = t - y: d^2 / 2 up to the threshold c, c |d| - c^2 / 2 beyond. Note: dperm/loss/loss.md.
#ifndef DPERM_LOSS_LOSSES_HUBER_HPP_
#define DPERM_LOSS_LOSSES_HUBER_HPP_

#include <array>
#include <cmath>

#include "dperm/core/rounding.hpp"
#include "dperm/loss/loss.hpp"

namespace dperm::loss {

struct Huber {
  static constexpr std::array kParameters = {LossParameter{.name = "threshold",
                                                           .member = &Loss::threshold,
                                                           .lower = kSmallestWidth,
                                                           .upper = kLargestWidth,
                                                           .help = "where it turns linear (target in [-1, 1])",
                                                           .is_asked_for = true}};
  static constexpr LossInfo info{.kind = LossKind::huber,
                                 .name = "huber",
                                 .target = schema::TargetKind::real,
                                 .link = Link::number,
                                 .unit = LossUnit::encoded_square,
                                 .parameters = kParameters};

  // [proof loss.huber]
  template <class Real>
  static Real value(const Loss& loss, Real score, Real target) {
    const auto threshold = static_cast<Real>(loss.threshold);
    const Real residual = score - target;
    const Real size = std::fabs(residual);
    return size <= threshold ? residual * residual / 2 : threshold * (size - threshold / 2);
  }
  template <class Real>
  static Real slope(const Loss& loss, Real score, Real target) {
    const auto threshold = static_cast<Real>(loss.threshold);
    return std::fmax(-threshold, std::fmin(threshold, score - target));
  }
  static LossConstants constants(const Loss& loss, double r) {
    const double lipschitz = std::fmin(loss.threshold, rounded_up(1 + r));
    const double largest = rounded_up(value(loss, 1 + r, 0.0));
    const double smallest = r < 1 ? rounded_down(value(loss, 1 - r, 0.0)) : 0;
    return {.lipschitz = lipschitz,
            .smoothness = 1,
            .range = rounded_up(std::fmin(2 * r * lipschitz, largest - smallest)),
            .largest_value = largest,
            .gradient_difference = 2 * lipschitz};
  }
  static double slope_rounding(const Loss& loss, double unit, double score_error) {
    return score_error + unit * (1 + loss.threshold);
  }
  // [/proof]

  template <class T>
  struct Lane {
    T threshold;
    explicit Lane(const Loss& loss) : threshold(static_cast<T>(loss.threshold)) {}
  };
};

}  // namespace dperm::loss

#endif

#ifdef DPERM_LOSS_LANES
HWY_BEFORE_NAMESPACE();
namespace dperm::loss::HWY_NAMESPACE {

template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE V lane_slope(Huber::Lane<hn::TFromD<D>> lane, D d, T scale, V score, V y) {
  const V limit = hn::Set(d, lane.threshold);
  return hn::Mul(hn::Min(hn::Max(hn::Sub(score, y), hn::Neg(limit)), limit), hn::Set(d, scale));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V lane_value(Huber::Lane<double> lane, D d, V score, V y) {
  const V size = hn::Abs(hn::Sub(score, y));
  const V inner = hn::Min(size, hn::Set(d, lane.threshold));
  return hn::Mul(inner, hn::Sub(size, hn::Mul(inner, hn::Set(d, 0.5))));
}

}  // namespace dperm::loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
