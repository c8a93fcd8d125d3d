// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform with a proved bound on its rounding error, and products of spectra. Note: loss_sum.md.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dperm::privacy {

using Spectrum = std::vector<std::complex<double>>;

// sum_j x_j exp(-2 pi i j k / N), and with `inverse` the conjugate sum, not divided by N. N must be a power of two.
Spectrum fourier(const Spectrum& x, bool inverse);

// At most this times the exact result's L2 norm is the L2 norm of the error of a transform of N = 2^b points.
double fourier_error(std::size_t points);

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
