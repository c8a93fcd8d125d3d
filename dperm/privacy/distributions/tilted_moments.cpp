// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/tilted_moments.hpp"

#include <algorithm>
#include <cmath>

namespace dperm::privacy {

// [proof privacy_loss_sum.moments]
// From the end with the largest exponent downwards, so that nothing overflows; the weights are multiplied up, and taken
// anew after every kBlock masses, which bounds their relative error by kBlock 2^-52.
TiltedMoments tilted_moments(const DiscreteLoss& loss, const std::vector<double>& masses, double step, double theta) {
  constexpr std::size_t kBlock = 512;
  const std::size_t size = masses.size();
  const double own = static_cast<double>(loss.stride) * step, decay = std::exp(-std::abs(theta) * own);
  const auto index = [&](std::size_t i) { return theta >= 0 ? size - 1 - i : i; };
  std::size_t start = 0;
  while (start + 1 < size && masses[index(start)] == 0) ++start;
  const double reference = loss.at(index(start), step);
  double s0 = 0, s1 = 0, s2 = 0;
  for (std::size_t from = start; from < size; from += kBlock) {
    double weight = std::exp(-std::abs(theta) * static_cast<double>(from - start) * own);
    if (weight == 0) break;
    for (std::size_t i = from; i < std::min(from + kBlock, size); ++i) {
      const double part = masses[index(i)] * weight;
      const double away = static_cast<double>(i - start);
      s0 += part;
      s1 += part * away;
      s2 += part * away * away;
      weight *= decay;
    }
  }
  const double away = s1 / s0, mean = reference + (theta >= 0 ? -away : away) * own;
  return {std::log(s0) + theta * reference, mean, std::max(0.0, (s2 / s0 - away * away) * own * own)};
}
// [/proof]

}  // namespace dperm::privacy
