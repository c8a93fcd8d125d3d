// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_location/location_interval.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <variant>

#include "dperm/core/check.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::methods {

namespace {

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double normal_quantile(double tail) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
}

// P(L + S > x) for Laplace noise of scale b and normal S of standard deviation s: the closed form of the convolution.
double laplace_normal_tail(double x, double b, double s) {
  const double z = x / s, ratio = s / b;
  const double rising = std::exp(ratio * ratio / 2 - x / b) * normal_cdf(z - ratio);
  const double falling = std::exp(ratio * ratio / 2 + x / b) * normal_cdf(-z - ratio);
  return normal_cdf(-z) + 0.5 * (rising - falling);
}

// The x that Laplace noise and a normal error together pass with probability `tail`.
double laplace_normal_quantile(double tail, double b, double s) {
  // Where one of the two is negligible the closed form loses its digits; exp((s/b)^2 / 2) overflows from s = 37 b on.
  if (s < 0.02 * b) return std::hypot(b * std::log(0.5 / tail), s);
  if (b < 0.05 * s) return normal_quantile(tail) * std::hypot(s, std::sqrt(2.0) * b);
  double low = 0, high = b * std::log(1 / tail) + normal_quantile(tail / 2) * s;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (laplace_normal_tail(middle, b, s) > tail ? low : high) = middle;
  }
  return high;
}

double half_width(double mean, const privacy::Mechanism& noise, double rows, double tail) {
  const double spread = std::sqrt(std::max(0.0, 1 - mean * mean) / rows);
  const double unit = rows * schema::kTargetOne;
  if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&noise)) {
    return normal_quantile(tail) * std::hypot(gaussian->sigma / unit, spread);
  }
  const auto& laplace = std::get<privacy::DiscreteLaplaceEvent>(noise);
  const double scale =
      static_cast<double>(laplace.scale_numerator) / static_cast<double>(laplace.scale_denominator) / unit;
  return laplace_normal_quantile(tail, scale, spread);
}

// Up to here ranks are read off the binomial distribution, beyond it off the normal one, one standard deviation of the
// approximation's error further out.
constexpr std::size_t kExactRows = 1'000'000;
// Of the chance to miss, for the noise of the two ends; the rest is for the drawing of the rows.
constexpr double kNoiseShare = 0.2;

}  // namespace

ReleasedInterval mean_interval(double mean, const privacy::Mechanism& noise, std::size_t rows, double confidence) {
  require_in_open_range("interval", confidence, 0, 1);
  const double tail = (1 - confidence) / 2, count = static_cast<double>(rows);
  // The true mean may lie nearer to the middle, where the spread is larger: once around is enough for a bound.
  const double first = half_width(mean, noise, count, tail);
  const double width = half_width(std::max(0.0, std::abs(mean) - first), noise, count, tail);
  return {std::max(-1.0, mean - width), std::min(1.0, mean + width), confidence};
}

// [proof methods_location_interval.ranks]
EndRanks end_ranks(double level, std::size_t rows, double confidence, double rank_scale, double candidates) {
  require_in_open_range("interval", confidence, 0, 1);
  const double miss = 1 - confidence, count = static_cast<double>(rows);
  const double tail = (1 - kNoiseShare) * miss / 2, noise_tail = kNoiseShare * miss / 2;
  double lower = 0, upper = 0;
  if (rows <= kExactRows) {
    // Rounded outwards by the library.
    const boost::math::binomial ranks(count, level);
    lower = boost::math::quantile(ranks, tail);
    upper = boost::math::quantile(boost::math::complement(ranks, tail)) + 1;
  } else {
    const double z = normal_quantile(tail), spread = std::sqrt(count * level * (1 - level));
    lower = std::floor(count * level - (z + 1 / spread) * spread - z * z);
    upper = std::ceil(count * level + (z + 1 / spread) * spread + z * z) + 1;
  }
  const double margin = std::ceil(rank_scale * (std::log(candidates) - std::log(noise_tail)) / 2);
  EndRanks ends;
  ends.has_lower = lower - margin >= 0;
  ends.has_upper = upper + margin <= count;
  ends.doubled_lower = std::llround(2 * std::max(0.0, lower - margin));
  ends.doubled_upper = std::llround(2 * std::min(count, upper + margin));
  return ends;
}
// [/proof]

}  // namespace dperm::methods
