// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/loss_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>

#include "dperm/core/rounding.hpp"
#include "dperm/privacy/fourier.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;
constexpr double kLeastTilt = 1e-3, kLargestTilt = 1e6;

// The largest value of (1 - e^-x) e^(-theta x), rounded up.
double peak_weight(double theta) { return rounded_up(std::exp(-theta * std::log1p(1 / theta)) / (1 + theta)); }

// The L2 norm of the same function on a grid.
double weight_norm(double theta, double step) {
  const double square = 1 / (theta * (2 * theta + 1) * (2 * theta + 2));
  const double peak = peak_weight(theta);
  return rounded_up(std::sqrt(square / step + 2 * peak * peak));
}

// ln sum_i mass_i e^(theta g_i), g_i = origin + (first + i) step, with its first two derivatives.
struct Sums {
  double log, mean, variance;
};

Sums tilted_sums(const DiscreteLoss& loss, const std::vector<double>& masses, double step, double theta) {
  // The largest exponent with mass is at one of the ends: all others are smaller, so nothing overflows.
  const double bottom = loss.origin + static_cast<double>(loss.first) * step;
  std::size_t end = theta >= 0 ? masses.size() - 1 : 0;
  while (masses[end] == 0 && end > 0 && theta >= 0) --end;
  while (masses[end] == 0 && end + 1 < masses.size() && theta < 0) ++end;
  const double reference = bottom + static_cast<double>(end) * step;
  double s0 = 0, s1 = 0, s2 = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double g = bottom + static_cast<double>(i) * step;
    if (masses[i] == 0) continue;
    const double weight = masses[i] * std::exp(theta * (g - reference));
    s0 += weight;
    s1 += weight * g;
    s2 += weight * g * g;
  }
  const double mean = s1 / s0;
  return {std::log(s0) + theta * reference, mean, std::max(0.0, s2 / s0 - mean * mean)};
}

double geometric_bisection(double low, double high, const auto& too_small) {
  for (int i = 0; i < 40 && high > low * 1.0005; ++i) {
    const double middle = std::sqrt(low * high);
    (too_small(middle) ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

LossSum::LossSum(std::vector<LossPart> parts, double step) : parts_(std::move(parts)), step_(step) {
  for (const LossPart& part : parts_) {
    origin_ += part.count * part.loss.origin;
    origin_size_ += part.count * std::abs(part.loss.origin);
    count_ += part.count;
    infinite_ += part.count * part.loss.infinite;
    const double bottom = part.loss.origin + static_cast<double>(part.loss.first) * step;
    largest_ =
        std::max({largest_, std::abs(bottom), std::abs(bottom + static_cast<double>(part.loss.upper.size()) * step)});
  }
}

// [proof privacy_loss_sum.support]
double LossSum::epsilon_from_support(double delta) const {
  if (!(infinite_ * 1.000001 <= delta)) return kInfinity;
  double total = 0;
  for (const LossPart& part : parts_) {
    std::size_t top = part.loss.upper.size() - 1;
    while (top > 0 && part.loss.upper[top] == 0) --top;
    const double index = static_cast<double>(part.loss.first) + static_cast<double>(top);
    total += part.count * (part.loss.origin + index * step_ + kLossMargin);
  }
  return rounded_up(std::max(0.0, total));
}
// [/proof]

LossSum::Moments LossSum::moments(double theta) const {
  Moments total{0, 0, 0};
  for (const LossPart& part : parts_) {
    const Sums sums = tilted_sums(part.loss, part.loss.upper, step_, theta);
    total.log_moment += part.count * sums.log;
    total.mean += part.count * sums.mean;
    total.variance += part.count * sums.variance;
  }
  return total;
}

double LossSum::log_moment(bool upper, double theta) const {
  double total = 0;
  for (const LossPart& part : parts_) {
    total += part.count * tilted_sums(part.loss, upper ? part.loss.upper : part.loss.lower, step_, theta).log;
  }
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
  if (!(needed < static_cast<double>(most_points))) return std::nullopt;
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
  transform(sum, points, first_index);
  return sum;
}

// [proof privacy_loss_sum.transform]
// The dominating law is the real part and the dominated one the imaginary part of one transform.
void LossSum::transform(TiltedSum& sum, std::size_t points, double first_index) const {
  const double n = static_cast<double>(points), relative = fourier_error(points);
  const std::size_t half = points / 2;
  Spectrum upper(half + 1, 1), lower(half + 1, 1);
  double input_noise = 0, growth = 0, powers = 0;
  for (const LossPart& part : parts_) {
    Spectrum z(points);
    const auto size = part.loss.upper.size();
    const double bottom = part.loss.origin + static_cast<double>(part.loss.first) * step_;
    const double up = tilted_sums(part.loss, part.loss.upper, step_, sum.theta_).log;
    const double down = tilted_sums(part.loss, part.loss.lower, step_, sum.theta_).log;
    auto position = static_cast<std::size_t>(
        ((part.loss.first % static_cast<std::int64_t>(points)) + static_cast<std::int64_t>(points)) %
        static_cast<std::int64_t>(points));
    double squares = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double exponent = sum.theta_ * (bottom + static_cast<double>(i) * step_);
      z[position] += std::complex<double>(part.loss.upper[i] * std::exp(exponent - up),
                                          part.loss.lower[i] * std::exp(exponent - down));
      position = position + 1 == points ? 0 : position + 1;
    }
    for (const auto& value : z) squares += std::norm(value);
    z = fourier(z, false);
    const double noise = rounded_up(relative * std::sqrt(squares * n));  // L2 error of the spectrum
    input_noise += part.count * noise;
    growth += part.count * (noise + 1e-9);
    powers += part.count + 1;
    const auto power = [&](std::complex<double> value) {
      return std::polar(std::exp(part.count * 0.5 * std::log(std::norm(value))), part.count * std::arg(value));
    };
    for (std::size_t k = 0; k <= half; ++k) {
      const std::complex<double> a = z[k], b = std::conj(z[k == 0 ? 0 : points - k]);
      upper[k] *= power(0.5 * (a + b));
      lower[k] *= power(std::complex<double>(0, -0.5) * (a - b));
    }
  }
  Spectrum both(points);
  double squares = 0;
  for (std::size_t k = 0; k <= half; ++k) {
    const std::complex<double> i(0, 1);
    both[k] = upper[k] + i * lower[k];
    if (k != 0 && k != half) both[points - k] = std::conj(upper[k]) + i * std::conj(lower[k]);
    squares += 2 * (std::norm(upper[k]) + std::norm(lower[k]));
  }
  both = fourier(both, true);
  const double product_noise = input_noise * std::exp(growth) + powers * 32 * kUnit * std::sqrt(squares);
  sum.noise_ = rounded_up((product_noise + 2 * relative * std::sqrt(squares)) / std::sqrt(n));
  sum.upper_.masses.resize(points);
  sum.lower_.masses.resize(points);
  const double remainder = first_index - n * std::floor(first_index / n);
  auto position = static_cast<std::size_t>(remainder);
  for (std::size_t k = 0; k < points; ++k) {
    sum.upper_.masses[k] = std::max(0.0, both[position].real() / n);
    sum.lower_.masses[k] = std::max(0.0, both[position].imag() / n);
    position = position + 1 == points ? 0 : position + 1;
  }
}
// [/proof]

// [proof privacy_loss_sum.delta]
// sum over s > epsilon of (1 - e^(epsilon - s)) e^(-theta (s - epsilon)) mass(s).
double TiltedSum::at(const Side& side, double epsilon) const {
  const double position = std::floor((epsilon - first_) / step_) + 1;
  double sum = 0;
  for (auto k = static_cast<std::size_t>(std::max(0.0, position)); k < side.masses.size(); ++k) {
    const double x = first_ + static_cast<double>(k) * step_ - epsilon;
    if (x <= 0) continue;
    if (theta_ * x > 700) break;
    sum -= std::expm1(-x) * std::exp(-theta_ * x) * side.masses[k];
  }
  return sum;
}

double TiltedSum::error(const Side& side, double) const {
  return peak_weight(theta_) * side.outside + weight_norm(theta_, step_) * noise_ + 1e-300;
}

double TiltedSum::delta_upper(double epsilon) const {
  const double e = epsilon - shift_;
  const double value = (at(upper_, e) * (1 + 1e-9) + error(upper_, e)) * std::exp(upper_.log_moment - theta_ * e);
  return std::min(1.0, value * factor_ * (1 + 1e-9) + infinite_);
}

double TiltedSum::delta_lower(double epsilon) const {
  const double e = epsilon + shift_;
  const double value = (at(lower_, e) * (1 - 1e-9) - error(lower_, e)) * std::exp(lower_.log_moment - theta_ * e);
  return std::max({0.0, 1 - std::exp(epsilon), value / factor_ * (1 - 1e-9)});
}

// Walks down the window with A = sum e^(-theta (s-s_k)) mass, B = sum e^(-(theta+1)(s-s_k)) mass to the last grid point
// that `accept`s its delta; only candidates are found here, the caller proves them.
template <class Accept>
double TiltedSum::search(const Side& side, double beyond, const Accept& accept) const {
  const double decay = std::exp(-theta_ * step_), faster = std::exp(-(theta_ + 1) * step_), e = error(side, 0);
  double a = 0, b = 0;
  for (std::size_t k = side.masses.size(); k-- > 0;) {
    const double s = first_ + static_cast<double>(k) * step_;
    const double scale = std::exp(side.log_moment - theta_ * s);
    const double a_next = a, b_next = b;
    a *= decay;
    b *= faster;
    if (s < 0 || !accept(std::max(0.0, a - b), e, scale)) {
      double low = std::max(0.0, s), high = std::max(low, s + step_);
      if (s < 0 && accept(std::max(0.0, a_next * std::exp(-theta_ * high) - b_next * std::exp(-(theta_ + 1) * high)), e,
                          std::exp(side.log_moment))) {
        return 0;
      }
      for (int i = 0; i < 40; ++i) {
        const double middle = (low + high) / 2, x = s + step_ - middle;
        const double value = a_next * std::exp(-theta_ * x) - b_next * std::exp(-(theta_ + 1) * x);
        (accept(std::max(0.0, value), e, std::exp(side.log_moment - theta_ * middle)) ? high : low) = middle;
      }
      return high;
    }
    a += side.masses[k];
    b += side.masses[k];
  }
  return beyond;
}

double TiltedSum::epsilon_upper(double delta) const {
  const double candidate = search(upper_, std::max(0.0, first_), [&](double value, double e, double scale) {
    return (value * (1 + 2e-9) + e) * scale * factor_ * (1 + 2e-9) + infinite_ <= delta;
  });
  for (double margin = 0x1p-40; margin < 1; margin *= 16) {
    const double epsilon = candidate + shift_ + margin * (1 + candidate);
    if (delta_upper(candidate == 0 && delta_upper(0) <= delta ? 0 : epsilon) <= delta) {
      return candidate == 0 && delta_upper(0) <= delta ? 0 : epsilon;
    }
  }
  return kInfinity;
}

double TiltedSum::epsilon_lower(double delta) const {
  const double candidate = search(lower_, std::max(0.0, first_), [&](double value, double e, double scale) {
    return !((value * (1 - 2e-9) - e) * scale / factor_ * (1 - 2e-9) > delta);
  });
  for (double margin = 0x1p-40; margin < 1; margin *= 16) {
    const double epsilon = candidate - shift_ - margin * (1 + candidate);
    if (epsilon <= 0) return 0;
    if (delta_lower(epsilon) > delta) return epsilon;
  }
  return 0;
}
// [/proof]

}  // namespace dperm::privacy
