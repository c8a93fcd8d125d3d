// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/release_moment.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dperm::privacy {
namespace {

constexpr double kMargin = 1e-12;
constexpr double kReach = 7;  // in deviations; terms further out are left out
constexpr double kLogError = 30;
constexpr double kLargestExponent = 600, kMostTerms = 400;

// [proof privacy_loss_distribution.moments]
// The step at which the trapezoidal rule has a relative error below 2 e^-kLogError on functions whose modulus at
// x + i y is at most e^(y^2/2 + extra) times their value at x, for |y| <= height.
double step_for(double height, double extra) {
  return 2 * std::numbers::pi * height / (kLogError + height * height / 2 + extra);
}

// The integral of phi(x) e^(log_ratio(e^(mu x))) over x from -kReach to beyond + kReach, at most.
template <class LogRatio>
double trapezoidal(double mu, double step, double beyond, double log_reference, const LogRatio& log_ratio) {
  // Strong releases would need many terms; nothing is claimed of them.
  if (mu * (beyond + kReach) > kLargestExponent || beyond > kMostTerms * step) return 0;
  double sum = 0, x = -kReach;
  const double growth = std::exp(mu * step);
  for (double u = std::exp(mu * x); x < beyond + kReach; x += step, u *= growth) {
    sum += std::exp(log_ratio(u) - x * x / 2 - log_reference);
  }
  return sum * step * (std::numbers::inv_sqrtpi / std::numbers::sqrt2) * (1 - kMargin);
}

double two_outcomes_moment_of(double p, double q, double theta, double log_reference) {
  return p > 0 && q > 0 ? std::exp(std::log(p) + theta * std::log(p / q) - log_reference) : 0;
}

}  // namespace

double two_outcomes_moment(double p, double q, double theta, double log_reference) {
  return (two_outcomes_moment_of(p, q, theta, log_reference) +
          two_outcomes_moment_of(1 - p, 1 - q, theta, log_reference)) *
         (1 - kMargin);
}

double laplace_moment(double epsilon, double theta, double log_reference) {
  const double order = theta + 0.5, up = theta * epsilon - log_reference;
  const double ends = std::exp(up) + std::exp(-epsilon - theta * epsilon - log_reference);
  return (0.5 * ends - 0.25 * std::exp(up) * std::expm1(-2 * order * epsilon) / order) * (1 - kMargin);
}

double sampled_gaussian_moment(double mu, double rate, double theta, double log_reference) {
  // No zero of 1 - q + q e^(mu x) lies nearer than pi / mu to the real line, and its modulus is largest there.
  const double step = step_for(std::min(7.6, 3 / mu), 0), shrink = std::exp(-mu * mu / 2);
  return trapezoidal(mu, step, (1 + theta) * mu, log_reference,
                     [&](double u) { return (1 + theta) * std::log1p(rate * (u * shrink - 1)); });
}

double sampled_gaussian_replace_moment(double mu, double rate, double theta, double log_reference) {
  // At height y, |1 - q + c e^(-i mu y)| >= cos(mu y) (1 - q + c).
  const double height = std::min(7.6, 1 / mu);
  const double step = step_for(height, -theta * std::log(std::cos(mu * height)));
  const double shrink = std::exp(-mu * mu / 2);
  return trapezoidal(mu, step, (1 + 2 * theta) * mu, log_reference, [&](double u) {
    return (1 + theta) * std::log1p(rate * (u * shrink - 1)) - theta * std::log1p(rate * (shrink / u - 1));
  });
}

double sampled_laplace_moment(double epsilon, double rate, double theta, double log_reference) {
  // Q and P of the unsampled pair: the ends, and intervals of equal length between them.
  const auto part = [&](double p, double q) {
    return q * std::exp((1 + theta) * std::log1p(rate * (p / q - 1)) - log_reference);
  };
  double sum = part(std::exp(-epsilon) / 2, 0.5) + part(0.5, std::exp(-epsilon) / 2);
  const int intervals = 6 + static_cast<int>(std::min(4 * epsilon, 200.0));
  const double length = 2 * epsilon / intervals, inside = -std::expm1(-length / 2) / 2;
  for (int i = 0; i < intervals; ++i) {
    // From l = -epsilon + i length on: Q's mass is e^(-(l + epsilon)/2) and P's e^((l + length - epsilon)/2), times
    // inside.
    const double q = inside * std::exp(-i * length / 2), p = inside * std::exp(-(intervals - 1 - i) * length / 2);
    sum += part(p, q);
  }
  return sum * (1 - kMargin);
}
// [/proof]

}  // namespace dperm::privacy
