// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/loss_sum.hpp"

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
#include "dperm/privacy/fourier.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;
constexpr double kLeastTilt = 1e-3, kLargestTilt = 1e6;

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

// The same of the mean mixture of a part.
Sums mixed(const LossPart& part, const std::vector<Sums>& own) {
  if (part.shares.size() == 1) return own[part.shares.front().law];
  double reference = -kInfinity, s0 = 0, s1 = 0, s2 = 0;
  for (const LossShare& share : part.shares) reference = std::max(reference, own[share.law].log);
  for (const LossShare& share : part.shares) {
    const Sums& each = own[share.law];
    const double weight = share.weight * std::exp(each.log - reference);
    s0 += weight;
    s1 += weight * each.mean;
    s2 += weight * (each.variance + each.mean * each.mean);
  }
  const double mean = s1 / s0;
  return {std::log(s0) + reference, mean, std::max(0.0, s2 / s0 - mean * mean)};
}

// Nothing is gained from the inf and nan that a product of std::complex looks for.
std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Values below 1e-150 do not matter here; std::abs takes pains with them.
double modulus(std::complex<double> z) { return std::sqrt(std::norm(z)); }

// count - 1 products at most, however they are arranged.
std::complex<double> power(std::complex<double> value, double count) {
  std::complex<double> result(1, 0);
  for (auto left = static_cast<std::uint64_t>(count); left != 0; left >>= 1) {
    if (left & 1) result = times(result, value);
    if (left > 1) value = times(value, value);
  }
  return result;
}

double geometric_bisection(double low, double high, const auto& too_small) {
  for (int i = 0; i < 40 && high > low * 1.0005; ++i) {
    const double middle = std::sqrt(low * high);
    (too_small(middle) ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

LossSum::LossSum(std::vector<DiscreteLoss> laws, std::vector<LossPart> parts, double step)
    : laws_(std::move(laws)), parts_(std::move(parts)), step_(step) {
  for (const LossPart& part : parts_) {
    const double origin = laws_[part.shares.front().law].origin;
    origin_ += part.count * origin;
    origin_size_ += part.count * std::abs(origin);
    count_ += part.count;
    for (const LossShare& share : part.shares) infinite_ += part.count * share.weight * laws_[share.law].infinite;
  }
  for (const DiscreteLoss& law : laws_) {
    const double bottom = law.origin + static_cast<double>(law.first) * step;
    largest_ = std::max({largest_, std::abs(bottom), std::abs(bottom + static_cast<double>(law.upper.size()) * step)});
  }
}

// [proof privacy_loss_sum.support]
double LossSum::epsilon_from_support(double delta) const {
  if (!(infinite_ * 1.000001 <= delta)) return kInfinity;
  double total = 0;
  for (const LossPart& part : parts_) {
    double largest = -kInfinity;
    for (const LossShare& share : part.shares) {
      const DiscreteLoss& law = laws_[share.law];
      std::size_t top = law.upper.size() - 1;
      while (top > 0 && law.upper[top] == 0) --top;
      largest = std::max(largest, law.origin + (static_cast<double>(law.first) + static_cast<double>(top)) * step_);
    }
    total += part.count * (largest + kLossMargin);
  }
  return rounded_up(std::max(0.0, total));
}
// [/proof]

LossSum::Moments LossSum::moments(double theta) const {
  std::vector<Sums> own;
  for (const DiscreteLoss& law : laws_) own.push_back(tilted_sums(law, law.upper, step_, theta));
  Moments total{0, 0, 0};
  for (const LossPart& part : parts_) {
    const Sums sums = mixed(part, own);
    total.log_moment += part.count * sums.log;
    total.mean += part.count * sums.mean;
    total.variance += part.count * sums.variance;
  }
  return total;
}

double LossSum::log_moment(bool upper, double theta) const {
  std::vector<Sums> own;
  for (const DiscreteLoss& law : laws_) own.push_back(tilted_sums(law, upper ? law.upper : law.lower, step_, theta));
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
// Half a spectrum of the dominating and of the dominated law, each tilted and divided by its own moment.
struct LossSum::Spectra {
  std::array<Spectrum, 2> half;
  std::array<double, 2> log_moment{};
  double noise = 0;  // L2 error
};

// What the parts multiplied so far amount to, with bounds of the errors.
struct LossSum::Product {
  std::array<Spectrum, 2> half;
  double input_noise = 0, growth = 0, powers = 0;
  // Of a product of different mixtures: the logarithm of a bound, and of its ratio to the mean mixtures' power.
  std::array<std::vector<double>, 2> log_bound, log_ratio;
};

// The dominating law is the real part and the dominated one the imaginary part of one transform.
LossSum::Spectra LossSum::spectra_of(const DiscreteLoss& law, double theta, std::size_t points) const {
  Spectra result;
  const double n = static_cast<double>(points), bottom = law.origin + static_cast<double>(law.first) * step_;
  const double up = tilted_sums(law, law.upper, step_, theta).log;
  const double down = tilted_sums(law, law.lower, step_, theta).log;
  result.log_moment = {up, down};
  Spectrum z(points);
  const auto length = static_cast<std::int64_t>(points);
  auto position = static_cast<std::size_t>(((law.first % length) + length) % length);
  for (std::size_t i = 0; i < law.upper.size(); ++i) {
    const double exponent = theta * (bottom + static_cast<double>(i) * step_);
    z[position] +=
        std::complex<double>(law.upper[i] * std::exp(exponent - up), law.lower[i] * std::exp(exponent - down));
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

void LossSum::multiply(const LossPart& part, const std::vector<Spectra>& spectra, Product& product) const {
  double noise = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    double reference = -kInfinity, whole = 0, own_noise = 0;
    for (const LossShare& share : part.shares) reference = std::max(reference, spectra[share.law].log_moment[side]);
    std::vector<double> ratios;  // a law's moment to the mixture's
    for (const LossShare& share : part.shares) {
      ratios.push_back(std::exp(spectra[share.law].log_moment[side] - reference));
      whole += share.weight * ratios.back();
    }
    for (std::size_t c = 0; c < ratios.size(); ++c) {
      ratios[c] /= whole;
      own_noise += part.shares[c].weight * ratios[c] * spectra[part.shares[c].law].noise;
    }
    noise = std::max(noise, own_noise);
    Spectrum& result = product.half[side];
    for (std::size_t k = 0; k < result.size(); ++k) {
      std::complex<double> mean = 0;
      for (std::size_t c = 0; c < ratios.size(); ++c) {
        mean += part.shares[c].weight * ratios[c] * spectra[part.shares[c].law].half[side][k];
      }
      result[k] = times(result[k], power(mean, part.count));
      if (product.log_bound[side].empty()) continue;
      const double size = std::max(modulus(mean), 1e-30);
      double distance = 0, spread = 0, mean_size = 0;
      for (std::size_t c = 0; c < ratios.size(); ++c) {
        const std::complex<double> value = ratios[c] * spectra[part.shares[c].law].half[side][k];
        const double away = (modulus(value - mean) + 2 * own_noise) / size;
        mean_size += part.shares[c].weight * (modulus(value) + own_noise);
        distance += part.shares[c].spread > 0 ? away : 0;
        spread += part.shares[c].spread * away;
      }
      const double ratio = distance < 0.5 ? spread * spread / (2 - 2 * distance) : kInfinity;
      const bool near = ratio < 1;
      product.log_ratio[side][k] += near ? ratio : 40;
      product.log_bound[side][k] +=
          near ? part.count * std::log(size) + ratio : part.count * std::log(std::max(mean_size, 1e-30)) + 1;
    }
  }
  product.input_noise += part.count * noise;
  product.growth += part.count * (noise + 1e-9);
  product.powers += part.count + 1;
}

void LossSum::transform(TiltedSum& sum, std::size_t points, double first_index) const {
  const double n = static_cast<double>(points), relative = fourier_error(points);
  const std::size_t half = points / 2;
  const bool blended = std::any_of(parts_.begin(), parts_.end(), [](const auto& p) { return p.shares.size() > 1; });
  Product product;
  for (std::size_t side = 0; side < 2; ++side) {
    product.half[side].assign(half + 1, 1);
    product.log_bound[side].resize(blended ? half + 1 : 0);
    product.log_ratio[side].resize(blended ? half + 1 : 0);
  }
  // A law's spectrum is kept from its first part to its last.
  std::vector<std::size_t> last_use(laws_.size());
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    for (const LossShare& share : parts_[j].shares) last_use[share.law] = j;
  }
  std::vector<Spectra> spectra(laws_.size());
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    for (const LossShare& share : parts_[j].shares) {
      Spectra& own = spectra[share.law];
      if (own.half[0].empty()) own = spectra_of(laws_[share.law], sum.theta_, points);
    }
    multiply(parts_[j], spectra, product);
    for (const LossShare& share : parts_[j].shares) {
      if (last_use[share.law] == j) spectra[share.law] = {};
    }
  }
  Spectrum both(points);
  double squares = 0;
  std::array<double, 2> blending{};
  for (std::size_t k = 0; k <= half; ++k) {
    const std::complex<double> i(0, 1), upper = product.half[0][k], lower = product.half[1][k];
    both[k] = upper + i * lower;
    if (k != 0 && k != half) both[points - k] = std::conj(upper) + i * std::conj(lower);
    squares += 2 * (std::norm(upper) + std::norm(lower));
    for (std::size_t side = 0; blended && side < 2; ++side) {
      const double error = -std::exp(product.log_bound[side][k]) * std::expm1(-product.log_ratio[side][k]);
      blending[side] += 2 * error * error;
    }
  }
  both = fourier(both, true);
  const double product_noise =
      product.input_noise * std::exp(product.growth) + product.powers * 32 * kUnit * std::sqrt(squares);
  sum.noise_ = rounded_up((product_noise + 2 * relative * std::sqrt(squares)) / std::sqrt(n));
  sum.upper_.blending = 1.001 * std::sqrt(blending[0] / n);
  sum.lower_.blending = 1.001 * std::sqrt(blending[1] / n);
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
