// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/sgd/optimiser.hpp"

#include <algorithm>
#include <cmath>

namespace dperm::methods {

namespace {

constexpr double kAdamFirst = 0.9, kAdamSecond = 0.999;
constexpr double kAdamFloor = 1e-8;

}  // namespace

double effective_rate(const OptimiserSettings& settings, double gradient_size) {
  switch (settings.rule) {
    case UpdateRule::plain:
      return settings.learning_rate;
    case UpdateRule::momentum:
      return settings.learning_rate / (1 - settings.momentum);
    case UpdateRule::adam:
      break;
  }
  return settings.learning_rate / (gradient_size + kAdamFloor);
}

Optimiser::Optimiser(const OptimiserSettings& settings, std::vector<double> start)
    : settings_(settings), weights_(std::move(start)), sum_of_last_(weights_.size(), 0.0) {
  loss::project(settings_.feasible_set, weights_);
  if (settings_.rule != UpdateRule::plain) first_moment_.assign(weights_.size(), 0.0);
  if (settings_.rule == UpdateRule::adam) second_moment_.assign(weights_.size(), 0.0);
}

// What to subtract from weight j.
double Optimiser::update(std::size_t j, double gradient) {
  switch (settings_.rule) {
    case UpdateRule::plain:
      return settings_.learning_rate * gradient;
    case UpdateRule::momentum:
      first_moment_[j] = settings_.momentum * first_moment_[j] + gradient;
      return settings_.learning_rate * first_moment_[j];
    case UpdateRule::adam:
      break;
  }
  double& first = first_moment_[j];
  double& second = second_moment_[j];
  first = kAdamFirst * first + (1 - kAdamFirst) * gradient;
  second = kAdamSecond * second + (1 - kAdamSecond) * gradient * gradient;
  return settings_.learning_rate * (first / first_correction_) / (std::sqrt(second / second_correction_) + kAdamFloor);
}

void Optimiser::add_to_average() {
  if (step_ + settings_.averaged <= settings_.steps) return;
  const double share = settings_.rising_average ? static_cast<double>(step_) : 1;
  for (std::size_t j = 0; j < weights_.size(); ++j) sum_of_last_[j] += share * weights_[j];
}

void Optimiser::advance(std::span<const std::int64_t> sum, double scale) {
  ++step_;
  if (settings_.average_before) add_to_average();
  first_correction_ = 1 - std::pow(kAdamFirst, static_cast<double>(step_));
  second_correction_ = 1 - std::pow(kAdamSecond, static_cast<double>(step_));
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    const double gradient = static_cast<double>(sum[j]) * scale + settings_.penalty * weights_[j];
    weights_[j] = std::clamp(weights_[j] - update(j, gradient), -kLargestWeight, kLargestWeight);
  }
  loss::project(settings_.feasible_set, weights_);
  if (!settings_.average_before) add_to_average();
}

std::vector<double> Optimiser::result() const {
  std::vector<double> mean = sum_of_last_;
  const auto steps = static_cast<double>(settings_.steps), averaged = static_cast<double>(settings_.averaged);
  for (double& each : mean) each /= settings_.rising_average ? steps * (steps + 1) / 2 : averaged;
  loss::project(settings_.feasible_set, mean);
  return mean;
}

}  // namespace dperm::methods
