// SPDX-License-Identifier: Apache-2.0
// First-order updates from noisy gradients: plain steps, momentum, Adam, and the average of the last iterates.
// Post-processing of released numbers: nothing here can cost privacy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/loss/feasible_set.hpp"
#include "dperm/methods/options.hpp"

namespace dperm::methods {

// A weight is kept below this; beyond it the network's float arithmetic would overflow. Honest training never comes
// near.
inline constexpr double kLargestWeight = 0x1p60;

struct OptimiserSettings {
  UpdateRule rule = UpdateRule::plain;
  double momentum = 0.9;  // share of the last move that is kept
  double learning_rate = 1;
  double penalty = 0;  // penalty * w is added to every gradient
  loss::FeasibleSet feasible_set;
  std::size_t steps = 1;
  std::size_t averaged = 1;     // the result is the mean of this many last iterates,
  bool average_before = false;  // or of the points where that many last gradients were taken
  bool rising_average = false;  // or of all iterates, the t-th with weight t
};

// By how much of a lasting gradient a step moves a weight in the long run, where gradients have this root mean square.
double effective_rate(const OptimiserSettings& settings, double gradient_size);

class Optimiser {
 public:
  // Projects the starting point onto the feasible set.
  Optimiser(const OptimiserSettings& settings, std::vector<double> start);

  const std::vector<double>& weights() const { return weights_; }
  // One step along sum * scale, an unbiased estimate of the gradient of the mean loss but for clipping.
  void advance(std::span<const std::int64_t> sum, double scale);
  std::vector<double> result() const;  // in the feasible set

 private:
  double update(std::size_t j, double gradient);
  void add_to_average();

  OptimiserSettings settings_;
  std::size_t step_ = 0;
  double first_correction_ = 1, second_correction_ = 1;
  std::vector<double> weights_, first_moment_, second_moment_, sum_of_last_;
};

}  // namespace dperm::methods
