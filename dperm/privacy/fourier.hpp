// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform with a proved bound on its rounding error. Note: loss_sum.md.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace dperm::privacy {

using Spectrum = std::vector<std::complex<double>>;

// sum_j x_j exp(-2 pi i j k / N), and with `inverse` the conjugate sum, not divided by N. N must be a power of two.
Spectrum fourier(const Spectrum& x, bool inverse);

// At most this times the exact result's L2 norm is the L2 norm of the error of a transform of N = 2^b points.
double fourier_error(std::size_t points);

}  // namespace dperm::privacy
