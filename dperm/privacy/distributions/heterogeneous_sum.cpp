// SPDX-License-Identifier: Apache-2.0
// The sum of losses of a heterogeneous composition: many releases, each dominated by a mixture of a few distributions.
// Note: loss_sum.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "dperm/core/rounding.hpp"
#include "dperm/privacy/distributions/fourier.hpp"
#include "dperm/privacy/distributions/loss_sum.hpp"
#include "dperm/privacy/distributions/tilted_moments.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;
constexpr double kNegligible = -50;  // logarithm of a product that no further factor needs to make smaller
constexpr double kFar = 40;          // stands for a ratio without a bound

// Values below 1e-150 do not matter here; std::abs takes pains with them.
double modulus(std::complex<double> z) { return std::sqrt(std::norm(z)); }

// [proof privacy_loss_sum.heterogeneous]
// The first frequencies of a distribution, tilted and divided by its moment.
struct Half {
  Spectrum values;
  double log_moment = 0;
  double noise = 0;  // L2 error
};

Half half_of(const DiscreteLoss& distribution, double step, double theta, const Spectrum& roots, std::size_t length) {
  const std::size_t points = roots.size(), mask = points - 1, size = distribution.upper.size();
  const double n = static_cast<double>(points);
  Half result;
  result.log_moment = tilted_moments(distribution, distribution.upper, step, theta).log;
  std::vector<double> masses(size);
  for (std::size_t i = 0; i < size; ++i) {
    masses[i] = distribution.upper[i] * std::exp(theta * distribution.at(i, step) - result.log_moment);
  }
  // Indices modulo a power of two, also where they are negative.
  const auto stride = static_cast<std::size_t>(distribution.stride),
             first = static_cast<std::size_t>(distribution.first) * stride & mask;
  if (static_cast<double>(size) * static_cast<double>(length) < 8 * n * std::log2(n)) {
    result.values.resize(length);
    // Horner's rule for several frequencies side by side: no look-ups, and none waits for another.
    constexpr std::size_t kTogether = 8;
    using Lanes = std::array<double, kTogether>;
    for (std::size_t from = 0; from < length; from += kTogether) {
      Lanes real{}, imaginary{}, cosine, sine;
      for (std::size_t j = 0; j < kTogether; ++j) {
        const std::complex<double> root = roots[(from + j) * stride & mask];
        cosine[j] = root.real(), sine[j] = root.imag();
      }
      for (std::size_t i = size; i-- > 0;) {
        for (std::size_t j = 0; j < kTogether; ++j) {
          const double turned = real[j] * cosine[j] - imaginary[j] * sine[j] + masses[i];
          imaginary[j] = real[j] * sine[j] + imaginary[j] * cosine[j];
          real[j] = turned;
        }
      }
      for (std::size_t j = 0; j < std::min(kTogether, length - from); ++j) {
        result.values[from + j] = times({real[j], imaginary[j]}, roots[first * (from + j) & mask]);
      }
    }
    const double each = (25 * static_cast<double>(size) + 90) * kUnit;  // the masses sum to 1
    result.noise = rounded_up(each * std::sqrt(2 * static_cast<double>(length)));
    return result;
  }
  Spectrum z(points);
  for (std::size_t i = 0; i < size; ++i) z[(first + i * stride) & mask] += masses[i];
  double squares = 0;
  for (const auto& value : z) squares += std::norm(value);
  z = fourier(z, false);
  z.resize(length);
  result.values = std::move(z);
  result.noise = rounded_up(fourier_error(points) * std::sqrt(squares * n));
  return result;
}

// The product over the parts so far, for the frequencies 0 to half. U is the exact product of the releases' mixtures
// and Phi that of the releases themselves; logarithms of bounds of their sizes, and of their ratios to the product of
// mean mixtures.
class Product {
 public:
  Product(double theta, double window, std::size_t half, bool lower)
      : lower_(lower), length_(half + 1), values_(half + 1, 1), bounds_(half + 1) {
    const double spacing = 2 * std::numbers::pi / window, least = theta * (theta + 1);
    for (std::size_t k = 0; k <= half; ++k) {
      const double t = static_cast<double>(k) * spacing;
      bounds_[k].growth = std::sqrt((theta * theta + t * t) * ((theta + 1) * (theta + 1) + t * t)) / least * (1 + 1e-9);
    }
  }

  struct Bounds {
    double growth = 1;  // |z (z + 1)| / (theta (theta + 1))
    double log_u = 0, ratio_u = 0, log_phi = 0, ratio_phi = 0;
    bool settled() const { return log_u < kNegligible; }
    double error_u() const { return settled() ? std::exp(log_u) : -std::exp(log_u) * std::expm1(-ratio_u); }
    double error_phi() const {
      return std::min(2.0, settled() ? std::exp(log_phi) : -std::exp(log_phi) * std::expm1(-ratio_phi));
    }
  };

  // As many frequencies as still matter: all later ones are settled.
  std::size_t length() const { return length_; }
  const Bounds& bounds(std::size_t k) const { return bounds_[k]; }
  std::complex<double> value(std::size_t k) const { return bounds_[k].settled() ? 0 : values_[k]; }
  double noise(double squares) const {
    return input_noise_ * std::exp(growth_) + powers_ * 32 * kUnit * std::sqrt(squares);
  }

  // `gap`: by how much the moments of the releases may lack of those of their mixtures, divided by the mean mixture's.
  void multiply(const LossPart& part, const std::vector<const Half*>& distributions, double gap) {
    const std::size_t count = distributions.size();
    std::vector<double> ratios(count);  // a distribution's moment to the mean mixture's
    double reference = -kInfinity, whole = 0, noise = 0;
    for (const Half* distribution : distributions) reference = std::max(reference, distribution->log_moment);
    for (std::size_t c = 0; c < count; ++c) {
      ratios[c] = std::exp(distributions[c]->log_moment - reference);
      whole += part.shares[c].weight * ratios[c];
    }
    for (std::size_t c = 0; c < count; ++c) {
      ratios[c] /= whole;
      noise += part.shares[c].weight * ratios[c] * distributions[c]->noise;
    }
    for (std::size_t k = 0; k < length_; ++k) {
      Bounds& b = bounds_[k];
      if (b.settled()) continue;
      std::complex<double> mean = 0;
      for (std::size_t c = 0; c < count; ++c) mean += part.shares[c].weight * ratios[c] * distributions[c]->values[k];
      values_[k] = times(values_[k], power(mean, part.count));
      const double size = std::max(modulus(mean), 1e-30);
      double distance = 0, spread = 0, mean_size = 0;
      for (std::size_t c = 0; c < count; ++c) {
        const std::complex<double> value = ratios[c] * distributions[c]->values[k];
        const double away = (modulus(value - mean) + 2 * noise) / size;
        mean_size += part.shares[c].weight * (modulus(value) + noise);
        distance += part.shares[c].spread > 0 ? away : 0;
        spread += part.shares[c].spread * away;
      }
      const double near_log = part.count * std::log(size + noise);
      const double near = distance < 0.5 ? spread * spread / (2 - 2 * distance) : kInfinity;
      b.ratio_u += near < 1 ? near : kFar;
      b.log_u += near < 1 ? near_log + near : part.count * std::log(std::max(mean_size, 1e-30)) + 1;
      if (!lower_) continue;
      const double lack = b.growth * gap / size, all = distance + lack, both = spread + lack;
      const double near_phi = all < 0.5 ? lack + both * both / (2 - 2 * all) : kInfinity;
      b.ratio_phi += near_phi < 1 ? near_phi : kFar;
      b.log_phi += near_phi < 1
                       ? near_log + near_phi
                       : std::min(0.0, part.count * std::log(std::max(mean_size, 1e-30) + b.growth * gap / part.count));
    }
    while (length_ > 1 && bounds_[length_ - 1].settled()) --length_;
    input_noise_ += part.count * noise;
    growth_ += part.count * (noise + 1e-9);
    powers_ += part.count + 1;
  }

 private:
  bool lower_;
  std::size_t length_;
  Spectrum values_;
  std::vector<Bounds> bounds_;
  double input_noise_ = 0, growth_ = 0, powers_ = 0;
};

// A bound of what the releases lack of their mixtures' delta, averaged over epsilons up to `reach` larger with the
// weights of a spline of six pieces.
double mean_gap(const Product& product, double theta, double window, std::size_t half, double reach) {
  const double spacing = 2 * std::numbers::pi / window, piece = reach / 6;
  const auto decay = [&](double t) { return std::min(1.0, std::pow(2 / (t * piece), 6)); };
  double sum = 0;
  for (std::size_t k = 0; k <= half; ++k) {
    const Product::Bounds& b = product.bounds(k);
    const double kernel = k == 0 ? 1 : 2 * decay(static_cast<double>(k) * spacing);
    sum += kernel * (b.error_u() + b.error_phi()) / b.growth;
  }
  const double end = static_cast<double>(half) * spacing;
  const double beyond = 4 * decay(end) / (spacing * end);  // the sum of 2 * 2 decay / t^2
  return 1.001 * (sum / (theta * (theta + 1)) + beyond) / window;
}

// Parts on the finest grid with much variance first: they settle most frequencies for all others.
std::vector<std::size_t> settling_order(const std::vector<LossPart>& parts,
                                        const std::vector<DiscreteLoss>& distributions, double step, double theta) {
  std::vector<double> variances;
  for (const DiscreteLoss& each : distributions) {
    variances.push_back(tilted_moments(each, each.upper, step, theta).variance);
  }
  std::vector<std::pair<std::int64_t, double>> ranks;
  for (const LossPart& part : parts) {
    std::int64_t stride = 1;
    double variance = 0;
    for (const LossShare& share : part.shares) {
      stride = std::max(stride, distributions[share.distribution].stride);
      variance += share.weight * variances[share.distribution];
    }
    ranks.emplace_back(stride, -variance * part.count);
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return ranks[i] < ranks[j]; });
  return order;
}

Spectrum roots_of_unity(std::size_t points) {
  Spectrum roots(points);
  for (std::size_t j = 0; j < points; ++j) {
    roots[j] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(points));
  }
  return roots;
}

// By how much the moments of the mixtures exceed those of the releases, at most. The margin covers the errors of masses
// and losses on the grid and of the moments themselves.
double gap_of(const LossPart& part, const std::vector<const Half*>& distributions, double theta, double reference) {
  double whole = 0;
  for (std::size_t c = 0; c < distributions.size(); ++c) {
    whole += part.shares[c].weight * std::exp(distributions[c]->log_moment - reference);
  }
  const double gap =
      part.count * (1 + 16 * (1 + theta) * kLossMargin) - part.moments(theta, reference + std::log(whole));
  return std::max(gap, 0.0);
}

}  // namespace

void LossSum::transform_heterogeneous(TiltedSum& sum, std::size_t points, double first_index, const Moments& m) const {
  const double n = static_cast<double>(points), window = n * step_, theta = sum.theta_;
  const std::size_t half = points / 2;
  const Spectrum roots = roots_of_unity(points);
  const std::vector<std::size_t> order = settling_order(parts_, distributions_, step_, theta);
  const bool lower = std::all_of(parts_.begin(), parts_.end(), [](const LossPart& p) { return bool(p.moments); });
  Product product(theta, window, half, lower);
  std::vector<Half> halves(distributions_.size());
  for (const std::size_t j : order) {
    const LossPart& part = parts_[j];
    std::vector<const Half*> distributions;
    double reference = -kInfinity;
    for (const LossShare& share : part.shares) {
      Half& own = halves[share.distribution];
      if (own.values.empty()) own = half_of(distributions_[share.distribution], step_, theta, roots, product.length());
      distributions.push_back(&own);
      reference = std::max(reference, own.log_moment);
    }
    product.multiply(part, distributions, lower ? gap_of(part, distributions, theta, reference) : 0);
  }
  Spectrum both(points);
  double squares = 0, blending = 0;
  for (std::size_t k = 0; k <= half; ++k) {
    const std::complex<double> value = product.value(k);
    both[k] = value;
    if (k != 0 && k != half) both[points - k] = std::conj(value);
    squares += 2 * std::norm(value);
    const double error = product.bounds(k).error_u();
    blending += 2 * error * error;
  }
  both = fourier(both, true);
  sum.noise_ = rounded_up((product.noise(squares) + 2 * fourier_error(points) * std::sqrt(squares)) / std::sqrt(n));
  sum.upper_.blending = 1.001 * std::sqrt(blending / n);
  sum.upper_.masses.resize(points);
  auto position = static_cast<std::size_t>(first_index - n * std::floor(first_index / n));
  for (std::size_t k = 0; k < points; ++k) {
    sum.upper_.masses[k] = std::max(0.0, both[position].real() / n);
    position = position + 1 == points ? 0 : position + 1;
  }
  sum.lower_ = sum.upper_;
  sum.lower_.gap = kInfinity;
  if (!lower) return;
  // Any reach is valid; taken is the one that is expected to cost the least epsilon.
  const double scale = (theta + 1) * std::sqrt(2 * std::numbers::pi * m.variance);
  double least = kInfinity;
  for (double reach = 0.3 / theta; reach > 1e-5 / theta; reach /= 1.6) {
    const double found = mean_gap(product, theta, window, half, reach), cost = reach + scale * found;
    if (cost < least) {
      least = cost;
      sum.lower_.gap = found * std::exp(theta * (reach + sum.shift_)) * 1.001;
      sum.lower_.reach = reach;
    }
  }
}
// [/proof]

}  // namespace dperm::privacy
