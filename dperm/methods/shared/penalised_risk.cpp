// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/penalised_risk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dperm::methods {

namespace {

// The engine refuses weights whose absolute sum is larger; a refusal in the middle of a solver's search would tell
// about the records, an infinite value only shortens its step.
constexpr double kLargestSum = 0x1p60;

bool in_range(std::span<const double> w) {
  double sum = 0;
  for (const double each : w) sum += std::fabs(each);
  return sum <= kLargestSum;  // false for NaN
}

}  // namespace

PenalisedRisk::Sums PenalisedRisk::sums(std::span<const double> w) const {
  if (problem_.loss.kind == loss::LossKind::softmax) {
    auto both = rows_.softmax({lattice_.scores, value_bound_, w}, engine::Resolution::solver, threads_);
    return {std::move(both.gradient), both.loss};
  }
  return {rows_.gradient({problem_.loss, lattice_.slope_bound, w}, engine::Resolution::solver, threads_),
          rows_.loss({engine::LinearModel{w}, problem_.loss, value_bound_}, threads_)};
}

double PenalisedRisk::value_and_gradient(std::span<const double> w, std::span<double> gradient) const {
  if (!in_range(w)) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    return std::numeric_limits<double>::infinity();
  }
  const Sums sum = sums(w);
  double square = 0, linear = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    gradient[j] = static_cast<double>(sum.gradient[j]) * lattice_.to_mean + problem_.l2_penalty * w[j];
    square += w[j] * w[j];
    if (linear_.empty()) continue;
    gradient[j] += linear_[j];
    linear += linear_[j] * w[j];
  }
  const double rows = static_cast<double>(rows_.rows());
  const double mean =
      static_cast<double>(sum.loss) * value_bound_ / (engine::steps(engine::Resolution::solver, rows_.rows()) * rows);
  return mean + problem_.l2_penalty / 2 * square + linear;
}

}  // namespace dperm::methods
