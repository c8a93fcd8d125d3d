// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/loss_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include "dperm/core/rounding.hpp"
#include "dperm/privacy/distributions/fourier.hpp"
#include "dperm/privacy/distributions/tilted_moments.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;
constexpr double kLeastTilt = 1e-3, kLargestTilt = 1e6;

// The moments of the mean mixture of a part.
TiltedMoments mixed(const LossPart& part, const std::vector<TiltedMoments>& own) {
  if (part.shares.size() == 1) return own[part.shares.front().distribution];
  double reference = -kInfinity, s0 = 0, s1 = 0, s2 = 0;
  for (const LossShare& share : part.shares) reference = std::max(reference, own[share.distribution].log);
  for (const LossShare& share : part.shares) {
    const TiltedMoments& each = own[share.distribution];
    const double weight = share.weight * std::exp(each.log - reference);
    s0 += weight;
    s1 += weight * each.mean;
    s2 += weight * (each.variance + each.mean * each.mean);
  }
  const double mean = s1 / s0;
  return {std::log(s0) + reference, mean, std::max(0.0, s2 / s0 - mean * mean)};
}

double geometric_bisection(double low, double high, const auto& too_small) {
  for (int i = 0; i < 40 && high > low * 1.0005; ++i) {
    const double middle = std::sqrt(low * high);
    (too_small(middle) ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

LossSum::LossSum(std::vector<DiscreteLoss> distributions, std::vector<LossPart> parts, double step, Ends ends)
    : distributions_(std::move(distributions)), parts_(std::move(parts)), step_(step), ends_(ends) {
  for (const LossPart& part : parts_) {
    const double origin = distributions_[part.shares.front().distribution].origin;
    origin_ += part.count * origin;
    origin_size_ += part.count * std::abs(origin);
    count_ += part.count;
    for (const LossShare& share : part.shares)
      infinite_ += part.count * share.weight * distributions_[share.distribution].infinite;
  }
  for (const DiscreteLoss& distribution : distributions_) {
    largest_ = std::max(
        {largest_, std::abs(distribution.at(0, step)), std::abs(distribution.at(distribution.upper.size(), step))});
  }
}

// [proof privacy_loss_sum.support]
double LossSum::epsilon_from_support(double delta) const {
  if (!(infinite_ * 1.000001 <= delta)) return kInfinity;
  double total = 0;
  for (const LossPart& part : parts_) {
    double largest = -kInfinity;
    for (const LossShare& share : part.shares) {
      const DiscreteLoss& distribution = distributions_[share.distribution];
      std::size_t top = distribution.upper.size() - 1;
      while (top > 0 && distribution.upper[top] == 0) --top;
      largest = std::max(largest, distribution.at(top, step_));
    }
    total += part.count * (largest + kLossMargin);
  }
  return rounded_up(std::max(0.0, total));
}
// [/proof]

LossSum::Moments LossSum::moments(double theta) const {
  std::vector<TiltedMoments> own;
  for (const DiscreteLoss& distribution : distributions_)
    own.push_back(tilted_moments(distribution, distribution.upper, step_, theta));
  Moments total{0, 0, 0};
  for (const LossPart& part : parts_) {
    const TiltedMoments sums = mixed(part, own);
    total.log_moment += part.count * sums.log;
    total.mean += part.count * sums.mean;
    total.variance += part.count * sums.variance;
  }
  return total;
}

double LossSum::log_moment(bool upper, double theta) const {
  std::vector<TiltedMoments> own;
  for (const DiscreteLoss& distribution : distributions_) {
    own.push_back(tilted_moments(distribution, upper || ends_ == Ends::upper ? distribution.upper : distribution.lower,
                                 step_, theta));
  }
  double total = 0;
  for (const LossPart& part : parts_) total += part.count * mixed(part, own).log;
  return total;
}

double LossSum::tilt_for_delta(double delta) const {
  // Saddle-point estimate of delta at the tilted mean; only sharpness depends on it.
  return geometric_bisection(kLeastTilt, kLargestTilt, [&](double theta) {
    const Moments m = moments(theta);
    const double width = theta * (1 + theta) * std::sqrt(2 * std::numbers::pi * m.variance);
    const double estimate =
        m.log_moment - theta * m.mean + std::min(std::log(peak_weight(theta)), -std::log(width + 1e-300));
    return estimate > std::log(delta);
  });
}

double LossSum::tilt_for_epsilon(double epsilon) const {
  return geometric_bisection(kLeastTilt, kLargestTilt, [&](double theta) { return moments(theta).mean < epsilon; });
}

double LossSum::log_chance_at_most(double loss) const {
  double best = 0;
  for (const double order : {0.5, 0.1, 0.02}) best = std::min(best, log_moment(false, -order) + order * loss);
  return best;
}

// Chernoff's bound at a range of orders; any order is valid, the best only makes the window shorter.
LossSum::Window LossSum::window(double theta, const Moments& m) const {
  const double deviation = std::sqrt(m.variance) + step_;
  const double rare = 14 + std::log1p((1 + theta) * deviation);  // -ln of the mass that may lie outside
  Window best{-kInfinity, kInfinity, 1 / deviation, 1 / deviation};
  for (double order = 0.05 / deviation; order < 20 / deviation; order *= 1.5) {
    const double right = (log_moment(true, theta + order) - m.log_moment + rare) / order;
    if (right < best.upper) best.upper = right, best.right_order = order;
    const double left = -(log_moment(true, theta - order) - m.log_moment + rare) / order;
    if (left > best.lower) best.lower = left, best.left_order = order;
  }
  return best;
}

std::optional<TiltedSum> LossSum::at(double theta, std::size_t most_points) const {
  const Moments m = moments(theta);
  Window w = window(theta, m);
  const double needed = (w.upper - w.lower) / step_ + 4;
  // Less than 4: with sums of 10^18 and more a window's ends are lost in rounding.
  if (!(needed >= 4 && needed < static_cast<double>(most_points))) return std::nullopt;
  const std::size_t points = std::bit_ceil(static_cast<std::size_t>(needed));
  const double spare = (static_cast<double>(points) - needed) / 2 * step_;
  const double first_index = std::floor((w.lower - spare - origin_) / step_);
  TiltedSum sum;
  sum.theta_ = theta;
  sum.step_ = step_;
  sum.first_ = origin_ + first_index * step_;
  // [proof privacy_loss_sum.outside]
  const double last = sum.first_ + static_cast<double>(points - 1) * step_;
  // Of one log-moment: its sum of at most 2^19 terms, and the product of order and loss in its exponent.
  const double moment_error = 1e-9 + 16 * kUnit * (1 + theta + w.left_order + w.right_order) * largest_;
  for (const bool upper : {true, false}) {
    TiltedSum::Side& side = upper ? sum.upper_ : sum.lower_;
    side.log_moment = log_moment(upper, theta);
    const double right = log_moment(upper, theta + w.right_order) - side.log_moment - w.right_order * last;
    const double left = log_moment(upper, theta - w.left_order) - side.log_moment + w.left_order * sum.first_;
    side.outside = 1.001 * std::exp(count_ * moment_error) * (std::exp(right) + std::exp(left));
  }
  sum.shift_ = count_ * kLossMargin + 16 * kUnit * (origin_size_ + std::abs(first_index * step_) + std::abs(last));
  sum.factor_ = std::exp(count_ * (kLossMargin + 8 * kUnit * (4 + (1 + theta) * largest_)));
  sum.infinite_ = infinite_ * 1.000001;
  // [/proof]
  if (ends_ == Ends::both) {
    transform(sum, points, first_index);
  } else {
    transform_heterogeneous(sum, points, first_index, m);
  }
  return sum;
}

// [proof privacy_loss_sum.transform]
namespace {

// Half a spectrum of the dominating and of the dominated distribution, each tilted and divided by its own moment.
struct Spectra {
  std::array<Spectrum, 2> half;
  double noise = 0;  // L2 error
};

// The dominating distribution is the real part and the dominated one the imaginary part of one transform.
Spectra spectra_of(const DiscreteLoss& distribution, double step, double theta, std::size_t points) {
  Spectra result;
  const double n = static_cast<double>(points);
  const double up = tilted_moments(distribution, distribution.upper, step, theta).log;
  const double down = tilted_moments(distribution, distribution.lower, step, theta).log;
  Spectrum z(points);
  const auto length = static_cast<std::int64_t>(points);
  auto position = static_cast<std::size_t>(((distribution.first % length) + length) % length);
  for (std::size_t i = 0; i < distribution.upper.size(); ++i) {
    const double exponent = theta * distribution.at(i, step);
    z[position] += std::complex<double>(distribution.upper[i] * std::exp(exponent - up),
                                        distribution.lower[i] * std::exp(exponent - down));
    position = position + 1 == points ? 0 : position + 1;
  }
  double squares = 0;
  for (const auto& value : z) squares += std::norm(value);
  z = fourier(z, false);
  result.noise = rounded_up(fourier_error(points) * std::sqrt(squares * n));
  for (Spectrum& half : result.half) half.resize(points / 2 + 1);
  for (std::size_t k = 0; k <= points / 2; ++k) {
    const std::complex<double> a = z[k], b = std::conj(z[k == 0 ? 0 : points - k]);
    result.half[0][k] = 0.5 * (a + b);
    result.half[1][k] = times({0, -0.5}, a - b);
  }
  return result;
}

}  // namespace

void LossSum::transform(TiltedSum& sum, std::size_t points, double first_index) const {
  const double n = static_cast<double>(points), relative = fourier_error(points);
  const std::size_t half = points / 2;
  std::array<Spectrum, 2> product{Spectrum(half + 1, 1), Spectrum(half + 1, 1)};
  double input_noise = 0, growth = 0, powers = 0;
  for (const LossPart& part : parts_) {
    const Spectra own = spectra_of(distributions_[part.shares.front().distribution], step_, sum.theta_, points);
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t k = 0; k <= half; ++k) {
        product[side][k] = times(product[side][k], power(own.half[side][k], part.count));
      }
    }
    input_noise += part.count * own.noise;
    growth += part.count * (own.noise + 1e-9);
    powers += part.count + 1;
  }
  Spectrum both(points);
  double squares = 0;
  for (std::size_t k = 0; k <= half; ++k) {
    const std::complex<double> i(0, 1), upper = product[0][k], lower = product[1][k];
    both[k] = upper + i * lower;
    if (k != 0 && k != half) both[points - k] = std::conj(upper) + i * std::conj(lower);
    squares += 2 * (std::norm(upper) + std::norm(lower));
  }
  both = fourier(both, true);
  const double product_noise = input_noise * std::exp(growth) + powers * 32 * kUnit * std::sqrt(squares);
  sum.noise_ = rounded_up((product_noise + 2 * relative * std::sqrt(squares)) / std::sqrt(n));
  sum.upper_.masses.resize(points);
  sum.lower_.masses.resize(points);
  auto position = static_cast<std::size_t>(first_index - n * std::floor(first_index / n));
  for (std::size_t k = 0; k < points; ++k) {
    sum.upper_.masses[k] = std::max(0.0, both[position].real() / n);
    sum.lower_.masses[k] = std::max(0.0, both[position].imag() / n);
    position = position + 1 == points ? 0 : position + 1;
  }
}
// [/proof]

}  // namespace dperm::privacy
