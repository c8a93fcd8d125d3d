// SPDX-License-Identifier: Apache-2.0
// round(sigma Z) for an exactly normal Z: the only Gaussian noise in dperm. Proof note: gaussian.md.
#pragma once

#include <cstdint>

#include "dperm/random/bits.hpp"

namespace dperm::random {

inline constexpr double kMinimumSigma = 0.5;
inline constexpr double kMaximumSigma = 0x1p50;

// A sample of floor(sigma Z + 1/2), Z standard normal, without any rounding error in the law.
// Throws ArgumentError unless kMinimumSigma <= sigma <= kMaximumSigma.
std::int64_t rounded_gaussian(BitSource& bits, double sigma);

}  // namespace dperm::random
