// SPDX-License-Identifier: Apache-2.0
// The non-private minimiser of a small problem by plain projected (sub)gradient descent in double: slow, obvious, and
// independent of the engine and the solvers.
#pragma once

#include <limits>

#include "tests/support/datasets.hpp"
#include "tests/support/softmax_reference.hpp"

namespace dperm::tests {

// Of risk(w, gradient to fill or null), a function with that smoothness (infinite: kinks) on the set.
template <class Risk>
std::vector<double> minimum_of(const Risk& risk, std::size_t weights, const loss::FeasibleSet& set, double smoothness) {
  std::vector<double> w(weights, 0.0), best = w, gradient;
  double best_risk = std::numeric_limits<double>::infinity();
  const int steps = std::isinf(smoothness) ? 3000 : 2000;
  for (int t = 1; t <= steps; ++t) {
    const double value = risk(w, &gradient);
    if (value < best_risk) {
      best_risk = value;
      best = w;
    }
    const double step = std::isinf(smoothness) ? 2.0 / std::sqrt(t) : 1.9 / smoothness;
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= step * gradient[j];
    loss::project(set, w);
  }
  return best;
}

inline std::vector<double> minimum(const EncodedTable& table, const methods::Problem& problem) {
  const double radius = loss::norm_bound(problem.feasible_set, table.dimension());
  const auto risk = [&](const std::vector<double>& w, std::vector<double>* gradient) {
    return plain_risk(table, problem, w, gradient);
  };
  return minimum_of(risk, table.dimension(), problem.feasible_set,
                    loss::constants(problem.loss, radius).smoothness + problem.l2_penalty);
}

// The same with one score per class.
inline std::vector<double> softmax_minimum(const EncodedTable& table, std::size_t classes,
                                           const methods::Problem& problem) {
  const auto risk = [&](const std::vector<double>& w, std::vector<double>* gradient) {
    return softmax_risk(table, classes, problem.l2_penalty, w, gradient);
  };
  return minimum_of(risk, classes * table.dimension(), problem.feasible_set, 0.5 + problem.l2_penalty);
}

}  // namespace dperm::tests
