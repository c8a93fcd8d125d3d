// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/gaussian.hpp"

#include "dperm/core/check.hpp"
#include "dperm/random/lazy_normal.hpp"

namespace dperm::random {

// [proof random_gaussian.entry]
std::int64_t rounded_gaussian(BitSource& bits, double sigma) {
  require_in_closed_range("sigma", sigma, kMinimumSigma, kMaximumSigma);
  return detail::round_multiple(bits, sigma, detail::draw_normal(bits));
}
// [/proof]

}  // namespace dperm::random
