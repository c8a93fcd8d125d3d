// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/sgd/sgd_risk.hpp"

#include <cmath>

#include "dperm/core/rounding.hpp"
#include "dperm/engine/network/clipped_query.hpp"
#include "dperm/privacy/composition/sampling.hpp"

namespace dperm::methods {

namespace {

double norm_bound(const Task& task) { return loss::norm_bound(task.problem.feasible_set, weight_count(task)); }

}  // namespace

bool is_covered(const Task& task) { return task.problem.hidden.empty() && norm_bound(task) <= network::kLargestScore; }

// [proof methods_sgd.risk]
network::LinearRows linear_rows(const Task& task) {
  const std::size_t columns = task.facts.columns;
  const double norm = rounded_up(norm_bound(task) / std::sqrt(static_cast<double>(columns)));
  return {network_shape(task), task.problem.loss, columns, norm};
}

FollowedRisk followed_risk(const Task& task, double clip) {
  const network::LinearRows rows = linear_rows(task);
  const network::RowError error = network::row_error(rows, clip);
  const double bias = error.gradient / std::sqrt(static_cast<double>(task.facts.columns));
  const double radius = norm_bound(task);
  const loss::LossConstants constants =
      loss::constants(task.problem.loss, rounded_up(radius + error.score), rows.shape.outputs);
  FollowedRisk result{descent_shape(task, radius), rounded_up(constants.lipschitz + bias), 0, 0};
  result.shape.lipschitz = result.row_norm + task.problem.l2_penalty * radius;
  const double of_scores =
      result.shape.has_kink() ? 2 * constants.lipschitz * error.score : 2 * radius * constants.smoothness * error.score;
  // What a step or a projection in double is off by, relative to the radius.
  const double rounding = 0x1p-47 + 0x1p-59 * static_cast<double>(weight_count(task));
  result.arithmetic = 8 * rounding;
  result.error = rounded_up(of_scores + 2 * radius * bias + 0x1p7 * rounding * result.shape.lipschitz * radius);
  return result;
}

double step_variance(const FollowedRisk& risk, const Task& task, const privacy::SampledGaussianEvent& mechanism,
                     double clip, double expected_batch) {
  const auto rows = static_cast<double>(task.facts.rows);
  const double rest = mechanism.sampling == privacy::Sampling::poisson
                          ? 1 - mechanism.rate
                          : (rows - expected_batch) / std::fmax(rows - 1, 1);
  const double of_sample = risk.row_norm * risk.row_norm * std::fmax(rest, 0) / expected_batch;
  // Rounding adds at most 1/2 to the root of the mean square.
  const double noise = (mechanism.sigma + 0.5) * network::step_size(clip) / expected_batch;
  const auto columns = static_cast<double>(task.facts.columns);
  return rounded_up(of_sample + static_cast<double>(weight_count(task)) * noise * noise / columns);
}

double sgd_risk(const FollowedRisk& risk, const DescentRule& rule, double variance) {
  const double arithmetic = risk.arithmetic * static_cast<double>(rule.steps);
  const double share = static_cast<double>(rule.averaged) / static_cast<double>(rule.steps);
  return rounded_up(descent_risk(risk.shape, rule, variance) * (1 + arithmetic) + risk.error / share);
}
// [/proof]

}  // namespace dperm::methods
