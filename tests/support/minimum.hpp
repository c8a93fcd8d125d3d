// SPDX-License-Identifier: Apache-2.0
// The non-private minimiser of a small problem by plain projected (sub)gradient descent in double: slow, obvious, and
// independent of the engine and the solvers.
#pragma once

#include "tests/support/datasets.hpp"

namespace dperm::tests {

inline std::vector<double> minimum(const EncodedTable& table, const methods::Problem& problem) {
  const double radius = loss::norm_bound(problem.feasible_set, table.dimension());
  const double smoothness = loss::constants(problem.loss, radius).smoothness + problem.l2_penalty;
  std::vector<double> w(table.dimension(), 0.0), best = w, gradient;
  double best_risk = plain_risk(table, problem, w);
  const int steps = std::isinf(smoothness) ? 3000 : 2000;
  for (int t = 1; t <= steps; ++t) {
    plain_risk(table, problem, w, &gradient);
    const double step = std::isinf(smoothness) ? 2.0 / std::sqrt(t) : 1.9 / smoothness;
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= step * gradient[j];
    loss::project(problem.feasible_set, w);
    const double risk = plain_risk(table, problem, w);
    if (risk < best_risk) {
      best_risk = risk;
      best = w;
    }
  }
  return best;
}

}  // namespace dperm::tests
