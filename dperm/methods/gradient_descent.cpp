// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/gradient_descent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/methods/gradient_lattice.hpp"
#include "dperm/methods/recorded_events.hpp"
#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/calibration.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "noisy gradient";
constexpr double kMostSteps = 1e6;
// More steps than this change the bound little and cost a pass over the data each: on Adult at epsilon 0.1, 1 and 3 a
// thousand steps were as accurate as any larger number.
constexpr double kAutomaticSteps = 1000;
// The automatic number of steps brings the bound within this factor of its limit for ever more steps.
constexpr double kCloseToLimit = 1.1;

const std::array kOptions = {
    OptionSpec{"steps", "auto", "number of noisy gradients T", 1, kMostSteps, {}, true},
    OptionSpec{"step_size", "auto", "step size eta of w - eta * gradient", 1e-12, 1e12},
    OptionSpec{"average_fraction", "auto", "share of the last iterates that is averaged", 0, 1},
};

// All numbers a run needs; a function of public facts alone.
struct Settings {
  Question question;
  double radius;  // largest norm in the feasible set
  GradientLattice lattice;
  std::size_t steps;
  double step_size;
  std::size_t averaged;  // the last so many iterates
  bool has_kink;         // then the points before each step are averaged, else those after it: as each theorem says
  privacy::GaussianEvent event;
  double noise;  // standard deviation of a coordinate of the noisy mean gradient
  double excess_risk;
};

struct Curvature {
  double lipschitz;   // of the penalised mean loss
  double smoothness;  // infinity for losses with kinks
};

Curvature curvature(const Problem& problem, double radius) {
  const loss::LossConstants loss = loss::constants(problem.loss, radius);
  return {loss.lipschitz + problem.l2_penalty * radius, loss.smoothness + problem.l2_penalty};
}

// Expected excess risk of the average of all T iterates, noise_square = d s^2.
// Smooth: R^2/(2 eta T) + eta d s^2/(2 (1 - eta beta)); otherwise R^2/(2 eta T) + eta (G^2 + d s^2)/2.
double excess_risk(const Curvature& shape, double radius, double steps, double noise_square, double step_size) {
  if (std::isinf(shape.smoothness)) {
    const double moment = shape.lipschitz * shape.lipschitz + noise_square;
    return radius * radius / (2 * step_size * steps) + step_size * moment / 2;
  }
  const double slack = 1 - step_size * shape.smoothness;
  if (slack <= 0) return std::numeric_limits<double>::infinity();
  return radius * radius / (2 * step_size * steps) + step_size * noise_square / (2 * slack);
}

double best_step_size(const Curvature& shape, double radius, double steps, double noise_square) {
  if (std::isinf(shape.smoothness)) {
    return radius / std::sqrt(steps * (shape.lipschitz * shape.lipschitz + noise_square));
  }
  // Stationary point of the smooth bound: (1 - eta beta)/eta = sqrt(T d s^2) / R.
  // Kept away from 1/beta, where the bound diverges, also when there is hardly any noise.
  return 1 / (shape.smoothness * (1 + 1e-3) + std::sqrt(steps * noise_square) / radius);
}

// Smallest T whose bound is close to the limit R * noise_per_step * sqrt(d); noise grows as sqrt(T).
std::size_t automatic_steps(const Curvature& shape, double radius, double noise_square_per_step) {
  const double limit = radius * std::sqrt(noise_square_per_step);
  const auto bound = [&](double steps) {
    const double noise_square = noise_square_per_step * steps;
    return excess_risk(shape, radius, steps, noise_square, best_step_size(shape, radius, steps, noise_square));
  };
  double steps = 1;
  while (steps < kAutomaticSteps && bound(steps) > kCloseToLimit * limit) steps = std::ceil(steps * 1.1);
  return static_cast<std::size_t>(std::min(steps, kAutomaticSteps));
}

// [proof methods_gradient_descent.settings]
Settings settings_for(const Question& asked, const OptionValues& options) {
  validate(asked);
  if (asked.budget.delta <= 0) {
    throw ArgumentError(
        "gradient-descent adds Gaussian noise and needs delta > 0 (for example 1e-6); for pure epsilon "
        "use output-perturbation");
  }
  Settings s{};
  s.question = asked;
  if (asked.problem.feasible_set.kind == loss::SetKind::unconstrained) {
    s.question.problem.feasible_set = {loss::SetKind::ball, default_radius(asked.problem, asked.facts)};
  }
  const Problem& problem = s.question.problem;
  s.radius = loss::norm_bound(problem.feasible_set, asked.facts.dimension);
  s.lattice = gradient_lattice(problem.loss, s.radius, asked.facts, engine::Resolution::release);

  const double dimension = static_cast<double>(asked.facts.dimension);
  const double mean_sigma_of_one =
      privacy::sigma_for(s.lattice.l2_sensitivity, asked.budget.epsilon, asked.budget.delta, 1) * s.lattice.to_mean;
  const Curvature shape = curvature(problem, s.radius);
  s.has_kink = std::isinf(shape.smoothness);
  s.steps = options.is_auto("steps")
                ? automatic_steps(shape, s.radius, dimension * mean_sigma_of_one * mean_sigma_of_one)
                : static_cast<std::size_t>(options.number("steps"));
  const double sigma = privacy::sigma_for(s.lattice.l2_sensitivity, asked.budget.epsilon, asked.budget.delta,
                                          static_cast<std::int64_t>(s.steps));
  s.event = {s.lattice.l2_sensitivity, sigma};
  s.noise = sigma * s.lattice.to_mean;
  const double steps = static_cast<double>(s.steps);
  const double noise_square = dimension * s.noise * s.noise;
  s.step_size =
      options.is_auto("step_size") ? best_step_size(shape, s.radius, steps, noise_square) : options.number("step_size");
  const double fraction = !options.is_auto("average_fraction") ? options.number("average_fraction")
                          : s.has_kink                         ? 1.0
                                                               : 0.5;
  s.averaged = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(fraction * steps)));
  s.excess_risk =
      excess_risk(shape, s.radius, steps, noise_square, s.step_size) * steps / static_cast<double>(s.averaged) +
      s.lattice.risk_error;
  return s;
}
// [/proof]

struct Descent {
  std::vector<double> weights;
  std::vector<double> tail_sum;
};

// [proof methods_gradient_descent.step]
// Post-processing of one released gradient and the public state.
Descent advance(const Settings& s, const Descent& state, const std::vector<std::int64_t>& noisy_sum, bool averaged) {
  Descent next = state;
  for (std::size_t j = 0; j < next.weights.size(); ++j) {
    const double gradient =
        static_cast<double>(noisy_sum[j]) * s.lattice.to_mean + s.question.problem.l2_penalty * state.weights[j];
    next.weights[j] -= s.step_size * gradient;
  }
  loss::project(s.question.problem.feasible_set, next.weights);
  if (averaged) {
    const std::vector<double>& point = s.has_kink ? state.weights : next.weights;
    for (std::size_t j = 0; j < point.size(); ++j) next.tail_sum[j] += point[j];
  }
  return next;
}

privacy::Released<Descent> descend(const Settings& s, const data::Dataset& dataset, privacy::Curator& curator,
                                   const FitOptions& options) {
  const std::size_t dimension = s.question.facts.dimension;
  const Descent start{std::vector<double>(dimension, 0.0), std::vector<double>(dimension, 0.0)};
  const auto noisy_gradient = [&](const std::vector<double>& weights) {
    const auto sum = dataset.tiles().map([&](const data::TileSet& tiles) {
      return engine::gradient_sum(tiles, {s.question.problem.loss, s.lattice.slope_bound, weights},
                                  engine::Resolution::release, options.threads);
    });
    return curator.release(sum, s.event, kWhat);
  };
  const auto averaged = [&](std::size_t step) { return step + s.averaged >= s.steps; };
  auto state = noisy_gradient(start.weights).map([&](const auto& sum) { return advance(s, start, sum, averaged(0)); });
  for (std::size_t step = 1; step < s.steps; ++step) {
    if (options.progress) options.progress(step, s.steps);
    state = noisy_gradient(state.get().weights).map([&](const auto& sum) {
      return advance(s, state.get(), sum, averaged(step));
    });
  }
  return state;
}
// [/proof]

std::vector<DerivationStep> derivation(const Settings& s) {
  const double steps = static_cast<double>(s.steps);
  return {
      {"row norm bound", 1, "the schema's encoding: every row is clamped to its public bounds and scaled by 1/sqrt(m)"},
      {"columns m, with the intercept", static_cast<double>(s.question.facts.columns), "schema"},
      {"rows n", static_cast<double>(s.question.facts.rows), "public: neighbours replace one record"},
      {"radius of the feasible set", s.radius, loss::describe(s.question.problem.feasible_set)},
      {"slope bound", s.lattice.slope_bound, "largest derivative of the loss on that set; the engine clamps to it"},
      {"sensitivity of the summed gradient (lattice units)", s.lattice.l2_sensitivity,
       "replace-one, integer sums truncated toward zero [gradient_lattice.md]"},
      {"noisy gradients T", steps, "chosen from public facts by the utility bound, or given"},
      {"noise sigma (lattice units)", s.event.sigma,
       "exact Gaussian-DP calibration for T adaptive releases [BW18, DRS22]"},
      {"mu = sensitivity * sqrt(T) / sigma", s.event.l2_sensitivity * std::sqrt(steps) / s.event.sigma,
       "Gaussian-DP composition is exact [DRS22]"},
      {"noise of a coordinate of the mean gradient", s.noise, "sigma back in encoded units"},
      {"step size", s.step_size, "minimises the utility bound, or given"},
      {"iterates averaged", static_cast<double>(s.averaged), "post-processing: free"},
  };
}

}  // namespace

std::span<const OptionSpec> GradientDescent::options() const { return kOptions; }

Plan GradientDescent::plan(const Question& question, const std::map<std::string, std::string>& given) const {
  const OptionValues options(name(), kOptions, given);
  const Settings s = settings_for(question, options);
  return make_plan(
      *this, s.question, options,
      {{kWhat, s.event, privacy::Neighbours::replace_one, static_cast<std::int64_t>(s.steps)}}, derivation(s),
      {s.excess_risk,
       "excess risk of the averaged iterate against every point of the feasible set [gradient_descent.md]"});
}

FitResult GradientDescent::fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                               const FitOptions& options) const {
  const Settings s = settings_for(plan.question, OptionValues(name(), kOptions, plan.options));
  check_facts(plan, dataset);
  const auto state = descend(s, dataset, curator, options);
  const double count = static_cast<double>(s.averaged);
  auto weights = state.map([&](const Descent& descent) {
    std::vector<double> average = descent.tail_sum;
    for (double& weight : average) weight /= count;
    loss::project(s.question.problem.feasible_set, average);
    return average;
  });
  check_events(plan, curator);
  return {std::move(weights), curator.events(), curator.secure()};
}

}  // namespace dperm::methods
