// SPDX-License-Identifier: Apache-2.0
// ln(1 + e^v) and its slope 1 / (1 + e^-v), for the losses made of them. Note: dperm/loss/loss.md.
#pragma once

#include <cmath>

#include "dperm/core/rounding.hpp"

namespace dperm::loss {

// [proof loss.sigmoid]
// Without overflow and without loss of small values.
template <class Real>
Real softplus(Real v) {
  return std::fmax(v, Real{0}) + std::log1p(std::exp(-std::fabs(v)));
}

template <class Real>
Real sigmoid(Real v) {
  const Real e = std::exp(-std::fabs(v));
  return v >= 0 ? 1 / (1 + e) : e / (1 + e);
}

// An upper bound of sigmoid(v), v >= 0.
inline double sigmoid_up(double v) { return std::fmin(1.0, rounded_up(1 / (1 + std::exp(-v)))); }

// Relative error of the vector exp2, in units of the rounding unit: approximation, Horner steps and final sum.
inline constexpr double kExpErrors = 6;

// 3 roundings of the argument v, where |v| s(v) s(-v) < 1/4; exp2 errors weighted by s(v) s(-v) <= 1/4; the sum 1 + e,
// the division and the scale.
inline double sigmoid_rounding(double unit) { return (0.75 + kExpErrors / 4 + 3) * unit; }
// [/proof]

}  // namespace dperm::loss
