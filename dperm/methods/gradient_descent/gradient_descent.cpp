// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/gradient_descent/gradient_schedule.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/shared/gradient_lattice.hpp"
#include "dperm/privacy/calibration/calibration.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "noisy gradient";

// All numbers a run needs; a function of public facts alone.
struct Settings {
  Task task;
  double radius;  // largest norm in the feasible set
  GradientLattice lattice;
  DescentShape shape;
  DescentRule rule;
  privacy::GaussianEvent event;
  double noise;  // standard deviation of a coordinate of the noisy mean gradient
  double excess_risk;
};

// Steps, step size and averaging of one schedule, its noise and its bound.
void apply_schedule(Settings& s, StepSchedule schedule, const GradientDescentOptions& options) {
  const Budget& budget = s.task.budget;
  const double dimension = static_cast<double>(weight_count(s.task));
  const auto noise_square_of = [&](std::size_t steps) {
    const double sigma =
        privacy::sigma_for(s.lattice.l2_sensitivity, budget.epsilon, budget.delta, static_cast<std::int64_t>(steps));
    s.event = {s.lattice.l2_sensitivity, sigma};
    s.noise = sigma * s.lattice.to_mean;
    return dimension * s.noise * s.noise;
  };
  DescentRule& rule = s.rule;
  rule = {.schedule = schedule, .momentum = options.momentum};
  rule.steps = options.steps ? *options.steps : automatic_steps(s.shape, schedule, noise_square_of(1));
  const double noise_square = noise_square_of(rule.steps);
  const double steps = static_cast<double>(rule.steps);
  rule.step_size = options.step_size ? *options.step_size : best_step_size(s.shape, steps, noise_square);
  const double fraction = options.average_fraction.value_or(s.shape.has_kink() ? 1.0 : 0.5);
  rule.averaged = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(fraction * steps)));
  rule.average_before = s.shape.has_kink() || schedule == StepSchedule::strongly_convex;
  // Errors add up over all steps, also over those that are not averaged.
  const double passed = schedule == StepSchedule::constant ? steps / static_cast<double>(rule.averaged) : 1;
  s.excess_risk = descent_risk(s.shape, rule, noise_square) + passed * s.lattice.risk_error;
}

// The schedule asked for, or the one with the smaller bound.
void choose_schedule(Settings& s, const GradientDescentOptions& options) {
  const bool strongly_convex = s.shape.strong_convexity > 0;
  if (options.schedule == StepSchedule::strongly_convex && !strongly_convex) {
    throw ArgumentError("the strongly-convex schedule needs `l2_penalty` above 0");
  }
  apply_schedule(s, options.schedule.value_or(StepSchedule::constant), options);
  const bool free = !options.step_size && !options.average_fraction;
  if (options.schedule || !strongly_convex || !free) return;
  Settings other = s;
  apply_schedule(other, StepSchedule::strongly_convex, options);
  if (other.excess_risk < s.excess_risk) s = other;
}

// [proof methods_gradient_descent.settings]
Settings settings_for(const Task& asked, const GradientDescentOptions& options) {
  validate_linear_or_softmax(asked, "gradient-descent");
  if (asked.budget.delta <= 0) {
    throw ArgumentError(
        "gradient-descent adds Gaussian noise and needs delta > 0 (for example 1e-6); for pure epsilon "
        "use output-perturbation");
  }
  Settings s{};
  s.task = asked;
  if (asked.problem.feasible_set.kind == loss::SetKind::unconstrained) {
    s.task.problem.feasible_set = {loss::SetKind::ball, default_radius(asked.problem, asked.facts)};
  }
  const Problem& problem = s.task.problem;
  s.radius = loss::norm_bound(problem.feasible_set, weight_count(asked));
  s.lattice = gradient_lattice(problem.loss, s.radius, asked.facts, engine::Resolution::release);

  s.shape = descent_shape(s.task, s.radius);
  choose_schedule(s, options);
  return s;
}
// [/proof]

struct Descent {
  std::vector<double> weights;
  std::vector<double> velocity;
  std::vector<double> weighted_sum;
};

// [proof methods_gradient_descent.step]
// Post-processing of one released gradient and the public state.
Descent advance(const Settings& s, const Descent& state, const std::vector<std::int64_t>& noisy_sum, std::size_t t) {
  const double step = s.rule.step(t, s.shape.strong_convexity);
  const double weight = s.rule.weight(t);
  Descent next = state;
  for (std::size_t j = 0; j < next.weights.size(); ++j) {
    const double gradient =
        static_cast<double>(noisy_sum[j]) * s.lattice.to_mean + s.task.problem.l2_penalty * state.weights[j];
    next.velocity[j] = s.rule.momentum * state.velocity[j] - step * gradient;
    next.weights[j] += next.velocity[j];
  }
  loss::project(s.task.problem.feasible_set, next.weights);
  const std::vector<double>& point = s.rule.average_before ? state.weights : next.weights;
  for (std::size_t j = 0; j < point.size(); ++j) next.weighted_sum[j] += weight * point[j];
  return next;
}

privacy::Released<Descent> descend(const Settings& s, const data::Dataset& dataset, privacy::Curator& curator,
                                   const FitOptions& options) {
  const std::vector<double> zeros(weight_count(s.task), 0.0);
  const Descent start{zeros, zeros, zeros};
  const auto noisy_gradient = [&](const std::vector<double>& weights) {
    const auto sum = dataset.sums().map([&](const engine::RowSums& sums) {
      return gradient_on_lattice(sums, s.task.problem.loss, s.lattice, weights, engine::Resolution::release,
                                 options.threads);
    });
    return curator.release(sum, s.event, kWhat);
  };
  auto state = noisy_gradient(start.weights).map([&](const auto& sum) { return advance(s, start, sum, 1); });
  for (std::size_t t = 2; t <= s.rule.steps; ++t) {
    if (options.progress) options.progress(t - 1, s.rule.steps);
    state = noisy_gradient(state.get().weights).map([&](const auto& sum) { return advance(s, state.get(), sum, t); });
  }
  return state;
}
// [/proof]

ErrorModel error_model_of(const Settings& s) {
  const double steps = static_cast<double>(s.rule.steps);
  ErrorModel error_model{.penalty = s.shape.strong_convexity, .radius = s.radius};
  if (s.rule.schedule == StepSchedule::strongly_convex) {
    // Iterates forget their start and are averaged with weights t: noise of sum t^2 / (sum t)^2 = about 4/(3T).
    error_model.term_noise = s.noise * std::sqrt(4 / (3 * steps));
    return error_model;
  }
  error_model.steps = steps;
  error_model.step_size = s.rule.step_size / (1 - s.rule.momentum);  // what a heavy ball's steps add up to
  error_model.step_noise = s.noise;
  error_model.averaged = static_cast<double>(s.rule.averaged);
  return error_model;
}

std::vector<DerivationStep> derivation(const Settings& s) {
  const double steps = static_cast<double>(s.rule.steps);
  const double slope = loss::constants(s.task.problem.loss, s.radius, s.task.facts.classes).lipschitz;
  return {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"columns m, with the intercept", static_cast<double>(s.task.facts.columns), "schema"},
      {"rows n", static_cast<double>(s.task.facts.rows), "public: neighbours replace one record"},
      {"radius of the feasible set", s.radius, loss::describe(s.task.problem.feasible_set)},
      {"weights", static_cast<double>(weight_count(s.task)), "one per feature, with softmax one per class and feature"},
      {"slope bound", slope,
       "largest derivative of the loss on that set; with softmax norm of a row's slopes, sqrt(2). The engine keeps to "
       "it"},
      {"sensitivity of the summed gradient (lattice units)", s.lattice.l2_sensitivity,
       "replace-one, integer sums truncated toward zero [gradient_lattice.md]"},
      {"noisy gradients T", steps, "chosen from public facts by the utility bound, or given"},
      {"noise sigma (lattice units)", s.event.sigma,
       "exact Gaussian-DP calibration for T adaptive releases [BW18, DRS22]"},
      {"mu = sensitivity * sqrt(T) / sigma", s.event.l2_sensitivity * std::sqrt(steps) / s.event.sigma,
       "Gaussian-DP composition is exact [DRS22]"},
      {"noise of a coordinate of the mean gradient", s.noise, "sigma back in encoded units"},
      {"first step size", s.rule.step(1, s.shape.strong_convexity), "minimises the utility bound, or given"},
      {"iterates averaged, by weight", s.rule.total_weight(), "post-processing: free"},
  };
}

privacy::Released<std::vector<double>> averaged(const Settings& s, const privacy::Released<Descent>& state) {
  return state.map([&](const Descent& descent) {
    std::vector<double> average = descent.weighted_sum;
    for (double& weight : average) weight /= s.rule.total_weight();
    loss::project(s.task.problem.feasible_set, average);
    return average;
  });
}

}  // namespace

Plan plan_for(const Task& task, const GradientDescentOptions& options) {
  check_options(options);
  const Settings s = settings_for(task, options);
  Plan plan = make_plan(
      options, s.task, {{kWhat, s.event, privacy::Neighbours::replace_one, static_cast<std::int64_t>(s.rule.steps)}},
      derivation(s),
      {s.excess_risk,
       std::isfinite(s.excess_risk)
           ? "excess risk of the averaged iterate against every point of the feasible set [gradient_descent.md]"
           : "the theorem needs `momentum = 0` and a step size below 1/smoothness [gradient_descent.md]"},
      [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
        return {averaged(s, descend(s, dataset, curator, fit_options))};
      });
  plan.error_model = error_model_of(s);
  return plan;
}

}  // namespace dperm::methods
