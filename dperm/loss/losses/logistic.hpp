// SPDX-License-Identifier: Apache-2.0
// The logistic loss ln(1 + e^-z), z = y t. Note: dperm/loss/loss.md.
#ifndef DPERM_LOSS_LOSSES_LOGISTIC_HPP_
#define DPERM_LOSS_LOSSES_LOGISTIC_HPP_

#include <limits>

#include "dperm/loss/logistic_sensitivity.hpp"
#include "dperm/loss/loss.hpp"
#include "dperm/loss/losses/sigmoid.hpp"

namespace dperm::loss {

struct Logistic {
  static constexpr LossInfo info{.kind = LossKind::logistic,
                                 .name = "logistic",
                                 .target = schema::TargetKind::binary,
                                 .link = Link::log_odds,
                                 .unit = LossUnit::nats};

  // [proof loss.logistic]
  template <class Real>
  static Real value(const Loss&, Real score, Real target) {
    return softplus(-(target * score));
  }
  template <class Real>
  static Real slope(const Loss&, Real score, Real target) {
    return -target * sigmoid(-(target * score));
  }
  static LossConstants constants(const Loss& loss, double r) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {.lipschitz = sigmoid_up(r),
            .smoothness = 0.25,
            .range = r,
            .largest_value = r == kInfinity ? kInfinity : rounded_up(value(loss, -r, 1.0)),
            .gradient_difference = logistic_gradient_difference(r)};
  }
  static double slope_rounding(const Loss&, double unit, double score_error) {
    return score_error / 4 + sigmoid_rounding(unit);
  }
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
HWY_INLINE V lane_slope(Logistic::Lane<hn::TFromD<D>>, D d, T scale, V score, V y) {
  const V e = exp2(d, hn::Mul(hn::Mul(y, score), hn::Set(d, static_cast<T>(kLog2E))));
  return hn::Div(hn::Mul(y, hn::Set(d, -scale)), hn::Add(hn::Set(d, T{1}), e));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V lane_value(Logistic::Lane<double>, D d, V score, V y) {
  return softplus(d, hn::Neg(hn::Mul(y, score)));
}

}  // namespace dperm::loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
