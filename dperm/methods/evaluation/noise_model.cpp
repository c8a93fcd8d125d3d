// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/evaluation/noise_model.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "dperm/core/error.hpp"

namespace dperm::methods {

namespace {

// Noise that is most often 0 has a larger one, and no use for the expansion.
constexpr double kMostExcess = 6;

}  // namespace

double NoiseModel::variance_of(const Spread& spread) const {
  const double shared = cells > 0 ? spread.sum * spread.sum / cells : 0;
  return variance * std::max(0.0, spread.square - shared);
}

double NoiseModel::radius(const Spread& spread, double other, double level) const {
  const double noise = variance_of(spread), all = noise + other;
  if (!(all > 0)) return 0;
  const double z = std::sqrt(2.0) * boost::math::erfc_inv(level);
  // Cumulants add up: the fourth of the sum, as a share of the squared variance. The shift that all counts share is a
  // mean of many and adds nothing to it that would count.
  const double excess = kurtosis * variance * variance * spread.fourth / (all * all);
  return std::sqrt(all) * (z + std::min(excess, kMostExcess) / 24 * (z * z * z - 3 * z));
}

NoiseModel noise_of(const privacy::Mechanism& mechanism, double unit, double cells) {
  if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&mechanism)) {
    // round(sigma Z): rounding adds a twelfth.
    return {(gaussian->sigma * gaussian->sigma + 1.0 / 12) / (unit * unit), 0, cells};
  }
  if (const auto* laplace = std::get_if<privacy::DiscreteLaplaceEvent>(&mechanism)) {
    const double inverse =
        static_cast<double>(laplace->scale_denominator) / static_cast<double>(laplace->scale_numerator);
    // 2 q / (1 - q)^2 with q = exp(-1 / scale).
    const double root = 2 * std::sinh(inverse / 2);
    const double variance = 2 / (root * root);
    // Of the discrete distribution: 3 + 1 / variance.
    return {variance / (unit * unit), 3 + 1 / variance, cells};
  }
  throw ArgumentError("counts are released with Gaussian or discrete Laplace noise");
}

}  // namespace dperm::methods
