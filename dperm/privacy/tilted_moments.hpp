// SPDX-License-Identifier: Apache-2.0
// Moments of a discretised law under an exponential tilt, and products of spectra. Internal to this room. Note:
// loss_sum.md.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "dperm/privacy/discrete_loss.hpp"

namespace dperm::privacy {

// ln sum_i mass_i e^(theta g_i), g_i = loss.at(i, step), with its first two derivatives.
struct TiltedMoments {
  double log, mean, variance;
};
TiltedMoments tilted_moments(const DiscreteLoss& loss, const std::vector<double>& masses, double step, double theta);

// Nothing is gained from the inf and nan that a product of std::complex looks for.
inline std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// count - 1 products at most, however they are arranged.
inline std::complex<double> power(std::complex<double> value, double count) {
  std::complex<double> result(1, 0);
  for (auto left = static_cast<std::uint64_t>(count); left != 0; left >>= 1) {
    if (left & 1) result = times(result, value);
    if (left > 1) value = times(value, value);
  }
  return result;
}

}  // namespace dperm::privacy
