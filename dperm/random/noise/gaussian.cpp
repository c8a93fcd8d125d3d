// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/noise/gaussian.hpp"

#include "dperm/core/check.hpp"
#include "dperm/random/noise/gaussian_pairs.hpp"
#include "dperm/random/noise/lazy_normal.hpp"

namespace dperm::random {

// [proof random_gaussian.entry]
void rounded_gaussians(BitSource& bits, double sigma, std::span<std::int64_t> out) {
  require_in_closed_range("sigma", sigma, kMinimumSigma, kMaximumSigma);
  if (sigma <= detail::kLargestPairSigma) {
    detail::draw_pairs(bits, sigma, out);
  } else {
    for (std::int64_t& sample : out) sample = detail::round_multiple(bits, sigma, detail::draw_normal(bits));
  }
}
// [/proof]

}  // namespace dperm::random
