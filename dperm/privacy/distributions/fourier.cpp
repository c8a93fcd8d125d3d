// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/fourier.hpp"

#include <bit>
#include <kissfft/kissfft.hh>

#include "dperm/core/check.hpp"

namespace dperm::privacy {

// [proof privacy_loss_sum.fourier]
Spectrum fourier(const Spectrum& x, bool inverse) {
  ensure(std::has_single_bit(x.size()), "the length of a Fourier transform must be a power of two");
  if (x.size() == 1) return x;
  Spectrum result(x.size());
  kissfft<double>(x.size(), inverse).transform(x.data(), result.data());
  return result;
}

// Radix 2 and 4: b levels, each with relative error at most mu + gamma_4 (sqrt 2 + mu), where mu <= 12 * 2^-53 bounds
// the error of a root of unity (its angle is rounded twice).
double fourier_error(std::size_t points) { return 20 * 0x1p-53 * static_cast<double>(std::bit_width(points)); }
// [/proof]

}  // namespace dperm::privacy
