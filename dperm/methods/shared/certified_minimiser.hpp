// SPDX-License-Identifier: Apache-2.0
// The minimiser of the penalised risk (plus a linear term) on a lattice, to a residual that is certain to be reached on
// every dataset. Shared by output and objective perturbation. Proof note: certified_minimiser.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/methods/task.hpp"

namespace dperm::methods {

// What holds for all data; public.
struct SolverBounds {
  double smoothness;        // of the penalised mean risk
  double evaluation_error;  // of a computed gradient of the mean objective
  double projection_error;  // of a computed projection onto the feasible set
  double largest_weight;    // norm of every point that descent from 0 can meet
  double largest_gradient;  // norm of a computed gradient at those points
  double residual;          // certified at the returned point: ||w - w*|| <= residual / l2_penalty
};

// The residual that plain descent is proved to reach on any data; `residual` is not read.
double reachable_residual(const Problem& problem, const SolverBounds& bounds);

// Throws ArgumentError when the guaranteed fallback could take an absurd number of passes: a plan must be executable.
void require_executable(const Problem& problem, const SolverBounds& bounds);

// Runs inside Sensitive::map. `linear` is empty or a linear term of the mean objective. The point found is moved into
// `kept` before it is rounded to the lattice. Throws InternalError when the residual is not certified, which the bounds
// exclude.
std::vector<std::int64_t> certified_minimiser(const engine::RowSums& sums, const Problem& problem,
                                              const GradientLattice& lattice, const SolverBounds& bounds,
                                              double lattice_step, Threads threads, std::span<const double> linear = {},
                                              const loss::FeasibleSet& kept = {});

}  // namespace dperm::methods
