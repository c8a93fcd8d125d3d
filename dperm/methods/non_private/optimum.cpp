// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/non_private/optimum.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/shared/penalised_risk.hpp"
#include "dperm/solve/lbfgs.hpp"
#include "dperm/solve/projected_gradient.hpp"

namespace dperm::methods {

namespace {

constexpr double kTolerance = 1e-13;      // below what sums on the lattice can tell: solvers end where these end
constexpr double kLeastConvexity = 1e-9;  // where there is no penalty: for the pace of projected steps
constexpr double kLargestNorm = 0x1p20;   // without penalty and set: nobody's weights, and the engine can add them
constexpr std::int64_t kMostSteps = 20000;

double norm(std::span<const double> w) {
  double square = 0;
  for (const double each : w) square += each * each;
  return std::sqrt(square);
}

// Nothing is gained by weights beyond: the risk at zero is smaller than what the penalty alone would be.
double norm_bound_of(const Task& task) {
  const double in_set = loss::norm_bound(task.problem.feasible_set, weight_count(task));
  if (std::isfinite(in_set)) return in_set;
  if (!(task.problem.l2_penalty > 0)) return kLargestNorm;
  const double at_zero = loss::loss_of_zero(task.problem.loss, task.facts.classes);
  return std::min(kLargestNorm, std::sqrt(2 * at_zero / task.problem.l2_penalty));
}

double value_bound_of(const Task& task, double largest) {
  return loss::constants(task.problem.loss, 4 * largest, task.facts.classes).largest_value;
}

bool in_set(const loss::FeasibleSet& set, const std::vector<double>& weights) {
  std::vector<double> projected = weights;
  loss::project(set, projected);
  return projected == weights;
}

// Weights are expected within `largest`; sums are the finer, the smaller it is.
Optimum minimise_within(const engine::RowSums& sums, const Task& task, Threads threads, double largest,
                        std::vector<double> weights) {
  const Problem& problem = task.problem;
  const GradientLattice lattice = gradient_lattice(problem.loss, largest, task.facts, engine::Resolution::solver);
  const PenalisedRisk risk(sums, problem, lattice, value_bound_of(task, largest), threads);
  const double smoothness = loss::constants(problem.loss, largest, task.facts.classes).smoothness + problem.l2_penalty;
  const double resolution = risk.value_bound() / engine::steps(engine::Resolution::solver, sums.rows());
  std::vector<double> free = weights;
  const solve::SolveSummary found = solve::minimise(risk, free,
                                                    {.gradient_tolerance = kTolerance,
                                                     .iteration_limit = kMostSteps,
                                                     .first_step = 1 / smoothness,
                                                     .value_resolution = resolution});
  if (in_set(problem.feasible_set, free)) return {free, found.value, found.gradient_norm};
  const auto project = [&](std::span<double> w) { loss::project(problem.feasible_set, w); };
  project(free);
  const solve::SolveSummary kept =
      solve::minimise_projected(risk, free, project,
                                {.curvature = {std::max(problem.l2_penalty, kLeastConvexity), smoothness},
                                 .gradient_tolerance = kTolerance,
                                 .iteration_limit = kMostSteps});
  return {free, kept.value, kept.optimality_residual};
}

}  // namespace

void require_convex_and_smooth(const Problem& problem, std::string_view method) {
  const ModelForm form = model_form(problem);
  require(form == ModelForm::linear || form == ModelForm::multiclass,
          fmt::format("{} finds the one minimum of linear models and of those with one score per class; networks and "
                      "rules have none that a solver is sure to find",
                      method));
  const bool smooth =
      problem.loss.kind == loss::LossKind::softmax || std::isfinite(loss::constants(problem.loss, 1).smoothness);
  require(smooth, fmt::format("{} minimises smooth losses, and the {} loss has a kink; take huber for absolute, "
                              "smoothed-hinge for hinge",
                              method, loss::name(problem.loss.kind)));
}

Optimum exact_optimum(const engine::RowSums& sums, const Task& task, Threads threads) {
  require_convex_and_smooth(task.problem, "this");
  const double largest = norm_bound_of(task);
  Optimum rough = minimise_within(sums, task, threads, largest, std::vector<double>(weight_count(task), 0.0));
  const double closer = 2 * norm(rough.weights) + 1;
  if (!(closer < largest)) return rough;
  const double of_rough = rough.residual;
  Optimum fine = minimise_within(sums, task, threads, closer, rough.weights);
  return fine.residual <= of_rough ? fine : rough;
}

double penalised_risk_at(const engine::RowSums& sums, const Task& task, std::span<const double> weights,
                         Threads threads) {
  const double largest = 2 * norm(weights) + 1;
  const GradientLattice lattice = gradient_lattice(task.problem.loss, largest, task.facts, engine::Resolution::solver);
  const PenalisedRisk risk(sums, task.problem, lattice, value_bound_of(task, largest), threads);
  std::vector<double> gradient(weights.size());
  return risk.value_and_gradient(weights, gradient);
}

}  // namespace dperm::methods
