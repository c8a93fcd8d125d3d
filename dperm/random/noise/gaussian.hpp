// SPDX-License-Identifier: Apache-2.0
// round(sigma Z) for an exactly normal Z: the only Gaussian noise in dperm. Proof notes: gaussian.md,
// gaussian_pairs.md.
#pragma once

#include <cstdint>
#include <span>

#include "dperm/random/bits.hpp"

namespace dperm::random {

inline constexpr double kMinimumSigma = 0.5;
inline constexpr double kMaximumSigma = 0x1p50;

// Fills `out` with independent samples of floor(sigma Z + 1/2), Z standard normal, without any rounding error in the
// distribution. Throws ArgumentError unless kMinimumSigma <= sigma <= kMaximumSigma.
void rounded_gaussians(BitSource& bits, double sigma, std::span<std::int64_t> out);

}  // namespace dperm::random
