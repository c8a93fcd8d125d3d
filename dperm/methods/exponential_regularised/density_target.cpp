// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_regularised/density_target.hpp"

#include <algorithm>
#include <cmath>

namespace dperm::methods {

namespace {

constexpr double kLargest = 0x1p61;

std::int64_t to_lattice(double value, double step) {
  return std::llrint(std::clamp(value / step, -kLargest, kLargest));
}

}  // namespace

// [proof methods_exponential_regularised.target]
std::int64_t DensityTarget::cost(std::span<const std::int64_t> point) const {
  std::vector<double> weights(point.size());
  for (std::size_t j = 0; j < point.size(); ++j) weights[j] = static_cast<double>(point[j]) * bounds_.lattice_step;
  return sums_.loss({engine::LinearModel{weights}, loss_, bounds_.value_bound}, threads_);
}

std::vector<double> DensityTarget::slope_at(std::span<const double> weights) const {
  const auto sum =
      sums_.gradient({loss_, bounds_.gradients.slope_bound, weights}, engine::Resolution::solver, threads_);
  std::vector<double> slope(sum.size());
  for (std::size_t j = 0; j < sum.size(); ++j) {
    slope[j] = bounds_.risk_weight * (static_cast<double>(sum[j]) * bounds_.gradients.to_mean);
  }
  return slope;
}

// Gradient descent on f + ||w - y||^2 / (2 eta) from y, at lattice points throughout.
void DensityTarget::prepare(std::span<const std::int64_t> y, std::span<std::int64_t> anchor,
                            std::span<std::int64_t> centre) const {
  const double step = bounds_.lattice_step, strong = bounds_.alpha + 1 / bounds_.eta;
  const double rate = 2 / (bounds_.smoothness + 2 * strong);
  const double enough = bounds_.offset * strong / (2 * (1 + bounds_.smoothness * bounds_.eta));
  const std::size_t dimension = y.size();
  std::vector<double> target(dimension), weights(dimension);
  for (std::size_t j = 0; j < dimension; ++j) {
    target[j] = static_cast<double>(y[j]) * step;
    anchor[j] = to_lattice(target[j], step);
  }
  for (std::int64_t descent = 0;; ++descent) {
    for (std::size_t j = 0; j < dimension; ++j) weights[j] = static_cast<double>(anchor[j]) * step;
    const std::vector<double> slope = slope_at(weights);
    double square = 0;
    std::vector<double> residual(dimension);
    for (std::size_t j = 0; j < dimension; ++j) {
      residual[j] = slope[j] + bounds_.alpha * weights[j] + (weights[j] - target[j]) / bounds_.eta;
      square += residual[j] * residual[j];
    }
    if (square <= enough * enough || descent == bounds_.descents) {
      for (std::size_t j = 0; j < dimension; ++j) {
        centre[j] = to_lattice((target[j] / bounds_.eta - slope[j]) / strong, step);
      }
      return;
    }
    for (std::size_t j = 0; j < dimension; ++j) anchor[j] = to_lattice(weights[j] - rate * residual[j], step);
  }
}
// [/proof]

}  // namespace dperm::methods
