// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/certified_minimiser.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/methods/shared/penalised_risk.hpp"
#include "dperm/solve/certified.hpp"

namespace dperm::methods {

namespace {

// A pass over a census-sized table takes a tenth of a millisecond, so this many are a day.
constexpr double kMostFallbackSteps = 1e9;

solve::Curvature curvature(const Problem& problem, const SolverBounds& bounds) {
  return {problem.l2_penalty, bounds.smoothness};
}

double descent_error(const Problem& problem, const SolverBounds& bounds) {
  return solve::descent_error(curvature(problem, bounds), bounds.evaluation_error, bounds.projection_error,
                              bounds.largest_weight, bounds.largest_gradient);
}

bool constrained(const Problem& problem) { return problem.feasible_set.kind != loss::SetKind::unconstrained; }

solve::CertifiedOptions solver_options(const Problem& problem, const SolverBounds& bounds, double value_resolution) {
  solve::CertifiedOptions options{.curvature = curvature(problem, bounds), .gradient_tolerance = bounds.residual};
  options.evaluation_error = bounds.evaluation_error;
  options.value_resolution = value_resolution;
  options.largest_weight = bounds.largest_weight;
  options.largest_gradient = bounds.largest_gradient;
  // Accelerated steps, and the fast solver without a set, gain a factor e in about the root of the condition number.
  const double steps = 1000 + 60 * std::sqrt(bounds.smoothness / problem.l2_penalty);
  options.fast_iteration_limit = static_cast<std::int64_t>(std::min(steps, 1e7));
  if (!constrained(problem)) return options;
  options.project = [&problem](std::span<double> w) { loss::project(problem.feasible_set, w); };
  options.projection_error = bounds.projection_error;
  return options;
}

}  // namespace

double reachable_residual(const Problem& problem, const SolverBounds& bounds) {
  return solve::least_tolerance(curvature(problem, bounds), descent_error(problem, bounds), constrained(problem));
}

void require_executable(const Problem& problem, const SolverBounds& bounds) {
  const auto steps = solve::gradient_descent_steps(curvature(problem, bounds), bounds.largest_gradient, bounds.residual,
                                                   descent_error(problem, bounds), constrained(problem));
  require(
      static_cast<double>(steps) <= kMostFallbackSteps,
      fmt::format("l2_penalty {:g} is so small that the guaranteed solver could need {:g} passes; take a larger one",
                  problem.l2_penalty, static_cast<double>(steps)));
}

// [proof methods_certified_minimiser.minimiser]
std::vector<std::int64_t> certified_minimiser(const engine::RowSums& sums, const Problem& problem,
                                              const GradientLattice& lattice, const SolverBounds& bounds,
                                              double lattice_step, Threads threads, std::span<const double> linear,
                                              const loss::FeasibleSet& kept) {
  const double value_bound = loss::constants(problem.loss, 4 * bounds.largest_weight, lattice.scores).largest_value;
  const PenalisedRisk risk(sums, problem, lattice, value_bound, threads, linear);
  const double value_resolution = risk.value_bound() / engine::steps(engine::Resolution::solver, sums.rows());
  std::vector<double> weights(risk.dimension(), 0.0);
  const auto summary = solve::minimise_certified(risk, weights, solver_options(problem, bounds, value_resolution));
  ensure(summary.verdict == solve::Verdict::certified && summary.certified_residual <= bounds.residual,
         "the solver did not certify the planned residual; nothing is released");
  loss::project(kept, weights);
  std::vector<std::int64_t> point(weights.size());
  for (std::size_t j = 0; j < weights.size(); ++j) point[j] = std::llrint(weights[j] / lattice_step);
  return point;
}
// [/proof]

}  // namespace dperm::methods
