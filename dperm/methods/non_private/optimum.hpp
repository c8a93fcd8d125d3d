// SPDX-License-Identifier: Apache-2.0
// The minimiser of a task's penalised risk as exactly as the engine's sums allow, without any privacy. It is what
// non-private models are, and what private ones are measured against.
#pragma once

#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/task.hpp"

namespace dperm::methods {

struct Optimum {
  std::vector<double> weights;
  double value;     // of the penalised mean risk
  double residual;  // norm of its gradient there; with a set, of what a projected step would still move
};

// Throws ArgumentError unless the model is linear or has one score per class and the loss is smooth: there is one
// minimum, and a solver that finds it.
void require_convex_and_smooth(const Problem& problem, std::string_view method);

// Runs inside Sensitive::map. Penalty and feasible set are those of the problem.
Optimum exact_optimum(const engine::RowSums& sums, const Task& task, Threads threads);

// The penalised mean risk at these weights, by the same sums.
double penalised_risk_at(const engine::RowSums& sums, const Task& task, std::span<const double> weights,
                         Threads threads);

}  // namespace dperm::methods
