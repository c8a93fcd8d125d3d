// SPDX-License-Identifier: Apache-2.0
// The smoothed hinge h ln(1 + e^((m - z)/h)), z = y t, of width h (smoothing) and margin m. Note: dperm/loss/loss.md.
#ifndef DPERM_LOSS_LOSSES_SMOOTHED_HINGE_HPP_
#define DPERM_LOSS_LOSSES_SMOOTHED_HINGE_HPP_

#include <array>
#include <cmath>
#include <limits>

#include "dperm/loss/loss.hpp"
#include "dperm/loss/losses/sigmoid.hpp"

namespace dperm::loss {

struct SmoothedHinge {
  static constexpr std::array kParameters = {LossParameter{.name = "smoothing",
                                                           .member = &Loss::smoothing,
                                                           .lower = kSmallestWidth,
                                                           .upper = kLargestWidth,
                                                           .help = "width, default 0.35"},
                                             LossParameter{.name = "margin",
                                                           .member = &Loss::margin,
                                                           .lower = 0,
                                                           .upper = kLargestWidth,
                                                           .help = "score from which a row hardly counts, default 0.5",
                                                           .before_it_was_written = 1}};
  static constexpr LossInfo info{.kind = LossKind::smoothed_hinge,
                                 .name = "smoothed-hinge",
                                 .target = schema::TargetKind::binary,
                                 .link = Link::margin,
                                 .unit = LossUnit::score,
                                 .parameters = kParameters};

  // [proof loss.smoothed_hinge]
  template <class Real>
  static Real value(const Loss& loss, Real score, Real target) {
    const auto width = static_cast<Real>(loss.smoothing);
    return width * softplus((static_cast<Real>(loss.margin) - target * score) / width);
  }
  template <class Real>
  static Real slope(const Loss& loss, Real score, Real target) {
    return -target * sigmoid((static_cast<Real>(loss.margin) - target * score) / static_cast<Real>(loss.smoothing));
  }
  static LossConstants constants(const Loss& loss, double r) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double steepest = sigmoid_up(rounded_up((loss.margin + r) / loss.smoothing));
    LossConstants out{.lipschitz = steepest,
                      .smoothness = rounded_up(0.25 / loss.smoothing),
                      .range = kInfinity,
                      .largest_value = kInfinity,
                      .gradient_difference = 2 * steepest};
    if (r < kInfinity) {
      const double largest = rounded_up(value(loss, -r, 1.0));
      out.largest_value = largest;
      // The difference loses digits where r is small; 2 r is the Lipschitz bound.
      out.range = rounded_up(std::fmin(2 * r, largest - rounded_down(value(loss, r, 1.0))));
    }
    return out;
  }
  static double slope_rounding(const Loss& loss, double unit, double score_error) {
    return (score_error + unit * loss.margin) / (4 * loss.smoothing) + sigmoid_rounding(unit);
  }
  // [/proof]

  template <class T>
  struct Lane {
    T width, margin, rate;  // rate: log2(e) / width
    explicit Lane(const Loss& loss)
        : width(static_cast<T>(loss.smoothing)),
          margin(static_cast<T>(loss.margin)),
          rate(static_cast<T>(1.4426950408889634 / loss.smoothing)) {}
  };
};

}  // namespace dperm::loss

#endif

#ifdef DPERM_LOSS_LANES
HWY_BEFORE_NAMESPACE();
namespace dperm::loss::HWY_NAMESPACE {

template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE V lane_slope(SmoothedHinge::Lane<hn::TFromD<D>> lane, D d, T scale, V score, V y) {
  const V e = exp2(d, hn::Mul(hn::Sub(hn::Mul(y, score), hn::Set(d, lane.margin)), hn::Set(d, lane.rate)));
  return hn::Div(hn::Mul(y, hn::Set(d, -scale)), hn::Add(hn::Set(d, T{1}), e));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V lane_value(SmoothedHinge::Lane<double> lane, D d, V score, V y) {
  const V width = hn::Set(d, lane.width);
  return hn::Mul(width, softplus(d, hn::Div(hn::Sub(hn::Set(d, lane.margin), hn::Mul(y, score)), width)));
}

}  // namespace dperm::loss::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
