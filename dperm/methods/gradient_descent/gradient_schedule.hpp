// SPDX-License-Identifier: Apache-2.0
// Step sizes and averaging of noisy gradient descent with the utility theorem of each. Everything here is
// post-processing of released gradients, so no choice made here can cost privacy. Derivations: gradient_descent.md.
#pragma once

#include <cstddef>

#include "dperm/methods/options.hpp"

namespace dperm::methods {

// What is known of the penalised mean loss on the feasible set.
struct DescentShape {
  double radius;            // largest norm in the set
  double lipschitz;         // G
  double smoothness;        // beta; infinity for losses with kinks
  double strong_convexity;  // lambda = l2_penalty; may be 0
  bool has_kink() const;
};
DescentShape descent_shape(const Task& task, double radius);

struct DescentRule {
  StepSchedule schedule = StepSchedule::constant;
  std::size_t steps = 1;
  double step_size = 0;         // constant schedule
  std::size_t averaged = 1;     // constant schedule: this many last iterates
  double momentum = 0;          // heavy ball; no theorem of ours covers it
  bool average_before = false;  // average the points where gradients were taken, not those after the step

  double step(std::size_t t, double strong_convexity) const;  // t = 1, ..., steps
  double weight(std::size_t t) const;                         // of iterate t in the average, unnormalised
  double total_weight() const;
};

// Expected excess risk of the averaged iterate against every point of the set; noise_square is the expected squared
// norm of one step's noise. Infinity where no theorem applies (momentum, step sizes of 1/beta and more).
double descent_risk(const DescentShape& shape, const DescentRule& rule, double noise_square);

// The step size that minimises the bound of the constant schedule.
double best_step_size(const DescentShape& shape, double steps, double noise_square);

// The smallest number of steps, at most 1000, whose bound is close to the limit for ever more steps, when the noise of
// T steps has expected squared norm T * noise_square_of_one.
std::size_t automatic_steps(const DescentShape& shape, StepSchedule schedule, double noise_square_of_one);

}  // namespace dperm::methods
