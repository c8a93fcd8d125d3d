// SPDX-License-Identifier: Apache-2.0
// Rounding to the safe side for privacy arithmetic: a double result becomes a bound by a relative margin that covers
// the handful of correctly rounded operations (and library functions good to a few ulps) that produced it.
#pragma once

#include <cmath>

namespace dperm {

// Covers formulas of up to about 2^12 roundings of 2^-53 relative error each.
inline constexpr double kRelativeMargin = 0x1p-40;

// An upper bound of the non-negative real number that `x` approximates to kRelativeMargin.
inline double rounded_up(double x) { return x * (1 + kRelativeMargin) + 0x1p-1000; }

// A lower bound of the non-negative real number that `x` approximates to kRelativeMargin.
inline double rounded_down(double x) { return std::fmax(0.0, x * (1 - kRelativeMargin) - 0x1p-1000); }

}  // namespace dperm
