// SPDX-License-Identifier: Apache-2.0
// The utility theorem of plain steps on samples, for models without hidden layers in a bounded set. Functions of public
// facts, in encoded units. Proof note: sgd.md, "Utility".
#pragma once

#include "dperm/engine/network/clipped_error.hpp"
#include "dperm/methods/gradient_descent/gradient_schedule.hpp"
#include "dperm/methods/task.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::methods {

// Whether the theorem covers plain steps for this task, if no gradient is shortened: no hidden layers and a bounded
// feasible set. The functions below need this.
bool is_covered(const Task& task);

network::LinearRows linear_rows(const Task& task);

// The risk as the computed gradients show it.
struct FollowedRisk {
  DescentShape shape;  // lipschitz: of what a step follows on average, rounding included
  double row_norm;     // of what one row adds to it
  double error;        // what following computed gradients instead of true ones costs, at most
  double arithmetic;   // relative price of a step in double
};
// clip is at least network::least_clip(linear_rows(task)).
FollowedRisk followed_risk(const Task& task, double clip);

// Expected squared distance of a step's gradient from its mean: the sample and the noise. expected_batch divides sums.
double step_variance(const FollowedRisk& risk, const Task& task, const privacy::SampledGaussianEvent& mechanism,
                     double clip, double expected_batch);

// Expected excess risk of the average of the last rule.averaged points against every point of the set; infinity where
// the step size is 1/smoothness or more.
double sgd_risk(const FollowedRisk& risk, const DescentRule& rule, double variance);

}  // namespace dperm::methods
