// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/newton/newton.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/methods/shared/normal_equations.hpp"
#include "dperm/privacy/calibration/calibration.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kGradient = "noisy gradient";
constexpr const char* kStep = "noisy Newton step";
constexpr std::size_t kAutomaticSteps = 8;
// Lattice steps in the sensitivity of a direction.
constexpr double kDirectionSteps = 0x1p24;

struct Settings {
  Task task;
  double radius;
  GradientLattice lattice;
  std::size_t steps;
  double damping;      // added to H, penalty included
  double sensitivity;  // of a computed direction
  double unit;         // lattice step of a direction
  privacy::GaussianEvent gradient_event, step_event;
};

void check(const Task& asked) {
  if (asked.problem.loss.kind != loss::LossKind::logistic) {
    throw ArgumentError(
        "Newton steps are proved for the logistic loss only [newton.md]; use `order = first` for others, softmax too");
  }
  require(asked.budget.delta > 0, "gradient-descent adds Gaussian noise and needs delta > 0 (for example 1e-6)");
  require(asked.facts.dimension <= engine::kMaximumGramDimension,
          "Newton steps are limited to 4096 weights; use `order = first`");
}

// The least damping at which the noise of a step is at most half of the shortest step that Newton's method can take.
double automatic_damping(const Settings& s) {
  const double noise_of_one =
      s.step_event.sigma / kDirectionSteps * std::sqrt(static_cast<double>(s.task.facts.dimension));
  double damping = 1e-4;
  while (damping < 1e3 && newton_sensitivity(s.task.facts.rows, damping) * noise_of_one * (0.25 + damping) > 0.5) {
    damping *= 1.05;
  }
  return damping;
}

// [proof methods_newton.settings]
Settings settings_for(const Task& asked, const NewtonOptions& options) {
  validate_linear_or_softmax(asked, "gradient-descent");
  check(asked);
  Settings s{};
  s.task = asked;
  if (asked.problem.feasible_set.kind == loss::SetKind::unconstrained) {
    s.task.problem.feasible_set = {loss::SetKind::ball, default_radius(asked.problem, asked.facts)};
  }
  const Problem& problem = s.task.problem;
  const Budget& budget = asked.budget;
  s.radius = loss::norm_bound(problem.feasible_set, asked.facts.dimension);
  s.lattice = gradient_lattice(problem.loss, s.radius, asked.facts, engine::Resolution::release);
  s.steps = options.steps.value_or(kAutomaticSteps);
  // Gradients and steps get half of the budget each: 2 T releases of equal weight.
  const auto releases = static_cast<std::int64_t>(2 * s.steps);
  const auto event = [&](double sensitivity) {
    const double sigma = privacy::sigma_for(sensitivity, budget.epsilon, budget.delta, releases);
    return privacy::GaussianEvent{sensitivity, rounded_up(sigma)};
  };
  s.gradient_event = event(s.lattice.l2_sensitivity);
  s.step_event = event(rounded_up(kDirectionSteps + 2 * std::sqrt(static_cast<double>(asked.facts.dimension))));
  const double extra = options.damping ? *options.damping : automatic_damping(s);
  s.damping = extra + problem.l2_penalty;
  s.sensitivity = rounded_up(newton_sensitivity(asked.facts.rows, s.damping) +
                             2 * newton_direction_error(asked.facts.dimension, s.damping));
  s.unit = s.sensitivity / kDirectionSteps * (1 + 0x1p-40);
  require(1 / (s.damping * s.unit) < 0x1p50, "rows or damping are too large for the 64-bit lattice");
  return s;
}
// [/proof]

std::vector<DerivationStep> derivation(const Settings& s) {
  return {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"rows n", static_cast<double>(s.task.facts.rows), "public: neighbours replace one record"},
      {"radius of the feasible set", s.radius, loss::describe(s.task.problem.feasible_set)},
      {"sensitivity of the summed gradient (lattice units)", s.lattice.l2_sensitivity,
       "replace-one, integer sums truncated toward zero [gradient_lattice.md]"},
      {"steps T", static_cast<double>(s.steps), "two releases per step, each with 1/(2T) of mu^2"},
      {"noise sigma of gradients (lattice units)", s.gradient_event.sigma,
       "exact Gaussian-DP calibration [BW18, DRS22]"},
      {"damping", s.damping, "added to the curvature, penalty included; by the noise of a step, or given"},
      {"sensitivity of a direction", s.sensitivity, "h/(damping^2 + damping h), h = 1/(4n), plus rounding [newton.md]"},
      {"noise sigma of steps (lattice units)", s.step_event.sigma,
       "in units of sensitivity / 2^24 times the gradient's norm"},
  };
}

double norm_of(std::span<const double> v) {
  long double sum = 0;
  for (const double x : v) sum += static_cast<long double>(x) * x;
  return static_cast<double>(std::sqrt(sum));
}

// A vector of norm at most 1: the direction of a released gradient.
std::vector<double> unit_vector(const std::vector<double>& gradient) {
  const double norm = norm_of(gradient) * (1 + 0x1p-40);
  std::vector<double> unit(gradient.size(), 0.0);
  if (norm > 0) {
    for (std::size_t j = 0; j < unit.size(); ++j) unit[j] = gradient[j] / norm;
  }
  return unit;
}

}  // namespace

// [proof methods_newton.direction]
double newton_sensitivity(std::size_t rows, double damping) {
  require_positive_finite("damping", damping);
  const double h = 1 / (4 * static_cast<double>(rows));
  return rounded_up(h / (damping * damping + damping * h));
}

double newton_direction_error(std::size_t dimension, double damping) {
  const double d = static_cast<double>(dimension);
  const double share = (8 * d * d + 16) * 0x1p-53 * (0.25 + damping) / damping;
  require(share < 0x1p-10, "damping is too small for double arithmetic; take a larger one");
  return rounded_up(2 * share / damping);
}

std::vector<double> newton_direction(const engine::RowSums& sums, std::span<const double> weights, double damping,
                                     std::span<const double> unit, Threads threads) {
  const std::uint32_t largest = engine::largest_row_weight(sums.rows());
  const double scale =
      1 / (4.0 * largest * static_cast<double>(sums.rows()) * engine::kGramUnit * static_cast<double>(sums.columns()));
  SymmetricMatrix matrix{weights.size(), {}};
  for (const std::int64_t sum : sums.curvature_moments(weights, threads)) {
    matrix.upper.push_back(static_cast<double>(sum) * scale);
  }
  return solve_damped(matrix, damping, unit);
}
// [/proof]

namespace {

// [proof methods_newton.step]
privacy::Released<std::vector<double>> descend(const Settings& s, const data::Dataset& dataset,
                                               privacy::Curator& curator, const FitOptions& fit_options) {
  const Problem& problem = s.task.problem;
  const auto iterate = [&](const std::vector<double>& weights) {
    const auto sum = dataset.sums().map([&](const engine::RowSums& sums) {
      return sums.gradient({problem.loss, s.lattice.slope_bound, weights}, engine::Resolution::release,
                           fit_options.threads);
    });
    const auto gradient = curator.release(sum, s.gradient_event, kGradient).map([&](const auto& noisy) {
      std::vector<double> mean(noisy.size());
      for (std::size_t j = 0; j < mean.size(); ++j) {
        mean[j] = static_cast<double>(noisy[j]) * s.lattice.to_mean + problem.l2_penalty * weights[j];
      }
      return mean;
    });
    // From here on only the released gradient and the public weights are used, besides the curvature.
    const std::vector<double> unit = unit_vector(gradient.get());
    const auto direction = dataset.sums().map([&](const engine::RowSums& sums) {
      const auto exact = newton_direction(sums, weights, s.damping, unit, fit_options.threads);
      std::vector<std::int64_t> lattice(exact.size());
      for (std::size_t j = 0; j < exact.size(); ++j) lattice[j] = std::llrint(exact[j] / s.unit);
      return lattice;
    });
    return curator.release(direction, s.step_event, kStep).map([&](const auto& noisy) {
      std::vector<double> next = weights;
      const double length = norm_of(gradient.get()) * s.unit;
      for (std::size_t j = 0; j < next.size(); ++j) next[j] -= length * static_cast<double>(noisy[j]);
      loss::project(problem.feasible_set, next);
      return next;
    });
  };
  auto weights = iterate(std::vector<double>(s.task.facts.dimension, 0.0));
  for (std::size_t t = 2; t <= s.steps; ++t) {
    if (fit_options.progress) fit_options.progress(t - 1, s.steps);
    weights = iterate(weights.get());
  }
  return weights;
}
// [/proof]

}  // namespace

Plan plan_for(const Task& task, const NewtonOptions& options) {
  check_options(options);
  const Settings s = settings_for(task, options);
  std::vector<privacy::PrivacyEvent> events;
  for (std::size_t t = 0; t < s.steps; ++t) {
    events.push_back({kGradient, s.gradient_event, privacy::Neighbours::replace_one, 1});
    events.push_back({kStep, s.step_event, privacy::Neighbours::replace_one, 1});
  }
  return make_plan(
      options, s.task, std::move(events), derivation(s), {.theorem = "Newton steps have no utility theorem"},
      [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
        return {descend(s, dataset, curator, fit_options)};
      });
}

}  // namespace dperm::methods
