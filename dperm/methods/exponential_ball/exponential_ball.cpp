// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_ball/exponential_ball.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/exponential_ball/ball_costs.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/privacy/calibration/calibration.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "weights";
constexpr std::size_t kFinestGrid = 30;
// Losses evaluated at worst (minutes): measured, the boxes number (n epsilon)^((d - 1) / 2) when the minimiser lies on
// the sphere, and far fewer when it lies inside.
constexpr double kMostEvaluations = 1e11;

// All numbers a run needs; a function of public facts alone.
struct Settings {
  Task task;
  WeightGrid grid{};
  CostUnits units{};
  privacy::ExponentialEvent event{};
  double temperature = 0;  // T: the density is proportional to exp(-F / T)
  double excess_risk = 0;
};

void check_task(const Task& task) {
  validate_linear(task, "exponential");
  const PublicFacts& facts = task.facts;
  if (facts.dimension > kMostExactWeights) {
    throw ArgumentError(
        fmt::format("the exact exponential mechanism is limited to {} weights (intercept and every category count); "
                    "this task has {}. With delta > 0 leave `regularised` out or say yes; for pure epsilon use "
                    "output-perturbation",
                    kMostExactWeights, facts.dimension));
  }
  const auto rows = static_cast<double>(facts.rows);
  const double boxes = std::pow(1 + rows * task.budget.epsilon, (static_cast<double>(facts.dimension) - 1) / 2);
  if (!(rows * boxes <= kMostEvaluations)) {
    throw ArgumentError(fmt::format(
        "the exact exponential mechanism could take {:.1g} evaluations of a loss for {} rows and {} weights, "
        "more than the {:.0g} it is allowed; with delta > 0 say `regularised = yes`, for pure epsilon use "
        "output-perturbation",
        rows * boxes, facts.rows, facts.dimension, kMostEvaluations));
  }
}

// [proof methods_exponential_ball.utility]
// E F(released) - min F, at most: T d, corrected for the lattice (note, "Utility").
double excess_risk(const Settings& s) {
  const Problem& problem = s.task.problem;
  const auto dimension = static_cast<double>(s.grid.dimension);
  const double radius = loss::norm_bound(problem.feasible_set, s.grid.dimension);
  const double half_diagonal = s.grid.step() / 2 * std::sqrt(dimension);
  const loss::LossConstants constants = loss::constants(problem.loss, radius + half_diagonal);
  const double steepest = constants.lipschitz + problem.l2_penalty * (radius + half_diagonal);
  const double error = s.units.value_error + (s.units.value_bound + s.units.value_error) * 2 / s.units.steps;
  const double trivial = constants.range + problem.l2_penalty / 2 * radius * radius;
  const double share = half_diagonal / problem.feasible_set.radius;
  if (share > 0.25) return trivial;
  const double distortion = (4 * steepest * half_diagonal + 2 * error) / s.temperature + 4 * dimension * share;
  return std::min(trivial,
                  rounded_up(s.temperature * dimension * std::exp(distortion) + steepest * half_diagonal + 2 * error));
}
// [/proof]

Settings settings_for(const Task& asked, const ExponentialBallOptions& options) {
  check_task(asked);
  Settings s;
  s.task = asked;
  loss::FeasibleSet& set = s.task.problem.feasible_set;
  if (set.kind == loss::SetKind::unconstrained) {
    set = {loss::SetKind::ball, default_radius(asked.problem, asked.facts)};
  }
  const int bits = static_cast<int>(options.grid_bits.value_or(kFinestGrid));
  s.grid = {set, asked.facts.dimension, bits};
  s.units = cost_units(s.task);
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(s.units.range, asked.budget.epsilon);
  s.event = {s.units.range, scale.numerator, scale.denominator};
  s.temperature = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator) * s.units.value_bound /
                  (s.units.steps * static_cast<double>(asked.facts.rows));
  s.excess_risk = excess_risk(s);
  return s;
}

std::vector<DerivationStep> derivation(const Settings& s) {
  return {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"rows n", static_cast<double>(s.task.facts.rows), "public: neighbours replace one record"},
      {"radius", s.task.problem.feasible_set.radius, "feasible set, given or chosen from public facts"},
      {"value of one cost unit", s.units.value_bound / s.units.steps, "losses are truncated to integers"},
      {"range of the total cost", static_cast<double>(s.event.range),
       "twice the range of one record's loss [exponential_ball.md]"},
      {"temperature", s.temperature, "range / (epsilon n), in units of risk: weights have odds exp(-risk / T)"},
      {"distance between neighbouring weights", s.grid.step(), "public lattice"},
  };
}

privacy::Released<std::vector<double>> choose(const Settings& s, const data::Dataset& dataset,
                                              privacy::Curator& curator, Threads threads) {
  const auto costs = dataset.sums().map([&](const engine::RowSums& sums) -> std::unique_ptr<random::LatticeCosts> {
    return std::make_unique<RiskCosts>(sums, s.task.problem, s.grid, s.units, threads);
  });
  return curator.choose(costs, s.event, s.grid.dimension, s.grid.bits, kWhat)
      .map([&](const std::vector<std::uint64_t>& point) { return s.grid.weights(point); });
}

}  // namespace

Plan plan_for(const Task& task, const ExponentialBallOptions& options) {
  check_options(options);
  const Settings s = settings_for(task, options);
  Plan plan =
      make_plan(options, s.task, {{kWhat, s.event, privacy::Neighbours::replace_one, 1}}, derivation(s),
                {s.excess_risk, "excess risk over the feasible set: dimension times temperature [exponential_ball.md]"},
                [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
                  return {choose(s, dataset, curator, fit_options.threads)};
                });
  plan.error_model = ErrorModel{.penalty = s.task.problem.l2_penalty,
                                .temperature = s.temperature,
                                .radius = loss::norm_bound(s.task.problem.feasible_set, s.grid.dimension)};
  return plan;
}

}  // namespace dperm::methods
