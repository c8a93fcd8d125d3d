// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/normal_mass.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dperm::privacy {

// [proof privacy_loss_distribution.normal]
double normal_mass(double a, double b) {
  if (!(a < b)) return 0;
  if (a > 0 || b <= 0) {
    // Both ends on one side: work with the upper tail.
    const double near = a > 0 ? a : -b, far = a > 0 ? b : -a;
    const double half = (far - near) / 2, centre = near + half;
    if (half * std::max(1.0, centre) < 0.1) {
      // Taylor series of the integral about the centre; the next term is below 2^-44 of the sum.
      const double d = half * half, z = centre * centre;
      const double series =
          1 + d / 6 * (z - 1) + d * d / 120 * (z * (z - 6) + 3) + d * d * d / 5040 * (z * (z * (z - 15) + 45) - 15);
      return std::exp(-z / 2) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2) * 2 * half * series;
    }
    return (std::erfc(near / std::numbers::sqrt2) - std::erfc(far / std::numbers::sqrt2)) / 2;
  }
  return (std::erf(b / std::numbers::sqrt2) + std::erf(-a / std::numbers::sqrt2)) / 2;
}
// [/proof]

double normal_reach(double tail) {
  // P(Z > x) <= exp(-x^2/2) / 2 for x >= 0; one Newton-like correction sharpens it, and the tail itself is checked.
  double x = std::sqrt(std::max(0.0, -2 * std::log(2 * tail)));
  while (x > 0.1 && std::erfc((x - 0.1) / std::numbers::sqrt2) / 2 <= tail * 0.999) x -= 0.1;
  return x;
}

double log_exponential_tail(double slope, double from) {
  const double y = from - slope;
  const double log_mass = y > 30 ? -y * y / 2 : std::log(std::erfc(y / std::numbers::sqrt2) / 2);
  const double sizes = slope * slope + std::abs(slope * from) + std::abs(log_mass);
  return slope * (slope / 2 - from) + log_mass + 1e-12 * (1 + sizes);
}

}  // namespace dperm::privacy
