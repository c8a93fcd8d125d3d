// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/curator/unseen_value.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"

namespace dperm::privacy {

// [proof privacy_select_values.distance]
// round(sigma Z) >= T only if Z >= (T - 1/2) / sigma = z; for z > 0 that has probability at most phi(z) / z. The factor
// covers the rounding of the few operations here.
double unseen_value_probability(const SelectedCountsEvent& event) {
  const double z = rounded_down((static_cast<double>(event.threshold) - 0.5) / event.sigma);
  if (z <= 1) return 1;
  constexpr double kRounding = 1 + 1e-9;
  const double tail = std::exp(-z * z / 2) / (z * std::sqrt(2 * std::numbers::pi)) * kRounding;
  return std::min(1.0, rounded_up(static_cast<double>(event.values) * tail));
}
// [/proof]

std::uint64_t threshold_for(double sigma, std::uint64_t values, double probability) {
  require_in_open_range("probability", probability, 0, 1);
  const double each = std::max(probability / static_cast<double>(values), 1e-300);
  const double z = std::max(1.0, boost::math::quantile(boost::math::complement(boost::math::normal(), each)));
  auto threshold = static_cast<std::uint64_t>(std::ceil(sigma * z + 0.5));
  SelectedCountsEvent event{1, sigma, threshold, values};
  while (unseen_value_probability(event) > probability) event.threshold += 1 + event.threshold / 1000;
  return event.threshold;
}

}  // namespace dperm::privacy
